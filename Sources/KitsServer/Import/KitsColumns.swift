internal import JSON
internal import KitsCore

/// The columns of a CSV file of ours: named like the members of the API.
struct KitsColumns: ImportColumns {
  let ignored: [String]
  private let columns: [Column]

  enum Column: Sendable {
    case text(String)
    case integer(String)
    case flag(String)
    case moment(String)
    case tag(String)
    case tags
    case collection
    case ignored
  }

  static let tagPrefix = "tags."
  private static let known: [String: Column] = [
    "platform": .text("platform"), "push_token": .text("push_token"), "apns_environment": .text("apns_environment"),
    "permission": .text("permission"), "push_preference": .flag("push_preference"),
    "app_version": .text("app_version"), "os_version": .text("os_version"), "model": .text("model"),
    "sdk_version": .text("sdk_version"), "language": .text("language"), "time_zone": .text("time_zone"),
    "external_id": .text("external_id"), "external_device_id": .text("external_device_id"), "coppa": .flag("coppa"),
    "collection_enabled": .collection, "first_session": .moment("first_session"),
    "last_session": .moment("last_session"), "session_count": .integer("session_count"),
    "foreground_seconds": .integer("foreground_seconds"), "tags": .tags,
  ]
  static let names: [String] = known.keys.sorted() + [tagPrefix + "KEY"]

  /// - Parameter ignoresUnknown: otherwise a column without a meaning is a mistake of whoever made the file.
  init(_ header: [String], ignoresUnknown: Bool) throws(CommandFailure) {
    var (columns, ignored) = ([Column](), [String]())
    for name in header {
      if let column = Self.known[name] {
        columns.append(column)
      } else if name.hasPrefix(Self.tagPrefix) {
        columns.append(.tag(String(name.dropFirst(Self.tagPrefix.count))))
      } else {
        columns.append(.ignored)
        ignored.append(name)
      }
    }
    guard ignoresUnknown || ignored.isEmpty else {
      let names = ignored.map { "`\(LogText.escaped($0))`" }.joined(separator: ", ")
      let hint = Suggestion.nearest(to: ignored[0], in: Array(Self.known.keys)).map { "; did you mean `\($0)`?" } ?? ""
      throw .refused(
        "the file has columns without a meaning: \(names)\(hint) `--ignore-unknown` leaves them out")
    }
    guard header.contains("push_token") else { throw .refused("the file has no column push_token") }
    self.columns = columns
    self.ignored = ignored
  }

  var count: Int { columns.count }

  func name(of pointer: String) -> String {
    let path = (JSONPointer.tokens(pointer) ?? []).joined(separator: ".")
    return path == "collection.enabled" ? "collection_enabled" : path
  }

  func row(_ cells: [String]) -> ImportRow {
    var members: [(String, JSONValue)] = []
    members.reserveCapacity(cells.count)
    var tags = JSONObject()
    for (column, cell) in zip(columns, cells) where !cell.isEmpty {
      switch column {
      case .text(let name): members.append((name, .string(cell)))
      case .integer(let name): members.append((name, ImportCell.integer(cell)))
      case .flag(let name): members.append((name, ImportCell.flag(cell)))
      case .moment(let name): members.append((name, ImportCell.moment(cell)))
      case .tag(let key): tags.set(key, .string(cell))
      case .tags:
        guard let object = ImportCell.object(cell) else {
          return .broken(column: "tags", .badFormat, "It must be a JSON object of strings.")
        }
        for (key, value) in object.members where tags[key] == nil { tags.set(key, value) }
      case .collection: members.append(("collection", .object(["enabled": ImportCell.flag(cell)])))
      case .ignored: break
      }
    }
    if !tags.isEmpty { members.append(("tags", .object(tags))) }
    return .object(.object(JSONObject(members)))
  }
}
