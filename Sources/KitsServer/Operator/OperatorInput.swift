internal import Crypto
internal import KitsCore

/// Checks what an operator typed; every refusal says what would be right.
enum OperatorInput {
  static func name(_ text: String, option: String) throws(CommandFailure) -> String {
    guard Limits.nameBytes.contains(text.utf8.count), !text.unicodeScalars.contains(where: LogText.isHazard) else {
      throw .usage("--\(option) must have \(Limits.nameBytes.words) bytes and no control characters")
    }
    return text
  }

  static func pauseReason(_ text: String) throws(CommandFailure) -> String {
    guard Limits.pauseReasonBytes.contains(text.utf8.count), !text.unicodeScalars.contains(where: LogText.isHazard)
    else {
      throw .usage("--reason must have \(Limits.pauseReasonBytes.words) bytes and no control characters")
    }
    return text
  }

  static func id<Entity>(_ text: String, _ what: String) throws(CommandFailure) -> Identifier<Entity> {
    guard let id = Identifier<Entity>(parsing: text) else {
      throw .usage("\(what) must be an id like 01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70")
    }
    return id
  }

  /// Apple: letters, digits, hyphens and periods.
  static func bundleID(_ text: String) throws(CommandFailure) -> String {
    guard Limits.bundleIDBytes.contains(text.utf8.count),
      text.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == 45 || $0 == 46 })
    else {
      throw .usage("--bundle-id must be \(Limits.bundleIDBytes.words) letters, digits, hyphens and periods")
    }
    return text
  }

  /// Apple's ids of keys and teams.
  static func appleID(_ text: String, option: String) throws(CommandFailure) -> String {
    guard text.utf8.count == 10, text.utf8.allSatisfy({ (65...90).contains($0) || (48...57).contains($0) }) else {
      throw .usage("--\(option) must be 10 characters of A-Z and 0-9")
    }
    return text
  }

  static func identityKeyID(_ text: String, _ what: String) throws(CommandFailure) -> IdentityKeyID {
    guard let id = IdentityKeyID(text) else {
      throw .usage(
        "\(what) must be \(Limits.identityKeyIDBytes.words) letters, digits, `.`, `_` and `-`, not `.` or"
          + " `..`, and not `kits_…`")
    }
    return id
  }

  /// A new id, in the order of this machine's clock.
  static func newID<Entity>() -> Identifier<Entity> {
    Identifier(UUIDv7.make(now: Int64(Timestamp.now().milliseconds)))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte)
  }
}
