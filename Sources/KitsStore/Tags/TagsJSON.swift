import JSON

/// Tags as the column `tags` holds them: an object of strings.
enum TagsJSON {
  private static let emptyCount = 2

  /// A change: null for what is removed.
  static func encode(setting values: [String: String], removing keys: Set<String>) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    for (key, value) in values { json.member(key, value) }
    for key in keys { json.member(key, String?.none) }
    json.endObject()
    return json.bytes
  }

  /// What isn't a string could not have been written here and is left out.
  static func decode(_ bytes: [UInt8]) -> [String: String] {
    guard bytes.count > emptyCount, case .object(let object)? = try? JSON.parse(bytes) else { return [:] }
    var tags: [String: String] = [:]
    for (key, value) in object.members { tags[key] = value.string }
    return tags
  }
}
