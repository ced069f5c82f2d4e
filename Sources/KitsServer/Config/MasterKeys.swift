internal import Crypto

/// The keys from which every other key is derived.
///
/// Minting and accepting are separate so that a key can be added on every node first and switched to afterwards.
struct MasterKeys: Sendable, Equatable {
  struct Key: Sendable, Equatable {
    let id: String
    let bytes: Secret<[UInt8]>
  }

  /// In the order of the variable; never empty.
  let accepted: [Key]
  let mintingID: String

  static func parseList(_ text: String) throws(Malformed) -> [Key] {
    var keys: [Key] = []
    for (index, entry) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
      let key = try parseEntry(entry, number: index + 1)
      for earlier in keys {
        if earlier.id == key.id { throw Malformed("names id \(key.id) twice") }
        if earlier.bytes == key.bytes { throw Malformed("has the same key under \(earlier.id) and \(key.id)") }
      }
      keys.append(key)
    }
    guard ConfigLimits.masterKeys.contains(keys.count) else {
      throw Malformed("has \(keys.count) keys; allowed are \(ConfigLimits.masterKeys.words)")
    }
    return keys
  }

  static func isID(_ text: some StringProtocol) -> Bool {
    ConfigLimits.masterKeyIDLength.contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
  }

  /// Names entries by number, never by their text: a slip may have put key bytes where the id belongs.
  private static func parseEntry(_ entry: Substring, number: Int) throws(Malformed) -> Key {
    guard let colon = entry.firstIndex(of: ":") else { throw Malformed("entry \(number) is not id:base64") }
    let id = entry[..<colon]
    guard isID(id) else { throw Malformed("entry \(number) has an id that is not [a-z0-9]{1,8}") }
    guard let bytes = Base64.decode(String(entry[entry.index(after: colon)...])) else {
      throw Malformed("entry \(number) is not padded standard base64")
    }
    guard bytes.count == ConfigLimits.masterKeyBytes else {
      throw Malformed("entry \(number) has \(bytes.count) bytes instead of \(ConfigLimits.masterKeyBytes)")
    }
    guard Set(bytes).count > 1 else { throw Malformed("entry \(number) repeats one byte and is no random key") }
    return Key(id: String(id), bytes: Secret(bytes))
  }
}
