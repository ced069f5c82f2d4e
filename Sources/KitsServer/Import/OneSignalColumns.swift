internal import JSON
internal import KitsCore

/// The columns of OneSignal's export of subscriptions. What it has of devices that get no pushes is skipped: other
/// channels, other platforms, subscriptions that ended.
struct OneSignalColumns: ImportColumns {
  let count: Int
  let ignored: [String]
  private let places: [String: Int]
  private let platforms: [Platform]

  /// Which columns tell the format from others.
  private static let marks = ["identifier", "device_type"]
  private static let sources = [
    "/push_token": "identifier", "/platform": "device_type", "/app_version": "game_version",
    "/os_version": "device_os", "/model": "device_model", "/language": "language", "/time_zone": "timezone_id",
    "/external_id": "external_user_id", "/session_count": "session_count", "/foreground_seconds": "playtime",
    "/first_session": "created_at", "/last_session": "last_active",
  ]
  private static let understood = Set(sources.values).union(["tags", "invalid_identifier", "notification_types"])
  /// Known, and without a use here.
  private static let known: Set<String> = [
    "id", "timezone", "ad_id", "amount_spent", "badge_count", "country", "rooted", "ip", "location", "web_auth",
    "web_p256", "onesignal_id",
  ]

  static func matches(_ header: [String]) -> Bool { marks.allSatisfy(header.contains) }

  init(_ header: [String], platforms: [Platform]) throws(CommandFailure) {
    guard Self.matches(header) else {
      throw .refused("this is not OneSignal's export: it has columns \(Self.marks.joined(separator: " and "))")
    }
    count = header.count
    ignored = header.filter { !Self.understood.contains($0) && !Self.known.contains($0) }
    places = Dictionary(uniqueKeysWithValues: header.enumerated().map { ($1, $0) })
    self.platforms = platforms
  }

  func name(of pointer: String) -> String {
    if let source = Self.sources[pointer] { return source }
    return (JSONPointer.tokens(pointer) ?? []).joined(separator: ".")
  }

  func row(_ cells: [String]) -> ImportRow {
    func cell(_ name: String) -> String? {
      places[name].map { cells[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let platform = Self.platform(cell("device_type")), platforms.contains(platform),
      let token = cell("identifier"), Self.isSubscribed(cell("invalid_identifier"), cell("notification_types"))
    else { return .skipped }
    var members: [(String, JSONValue)] = [("platform", .string(platform.name)), ("push_token", .string(token))]
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append((name, value)) }
    }
    add("app_version", cell("game_version").map(JSONValue.string))
    add("os_version", cell("device_os").map(JSONValue.string))
    add("model", cell("device_model").map(JSONValue.string))
    add("language", cell("language").map { .string($0.replacing("_", with: "-")) })
    add("time_zone", cell("timezone_id").map(JSONValue.string))
    add("external_id", cell("external_user_id").map(JSONValue.string))
    add("session_count", cell("session_count").map(ImportCell.integer))
    add("foreground_seconds", cell("playtime").map(ImportCell.integer))
    add("first_session", cell("created_at").map(Self.moment))
    add("last_session", cell("last_active").map(Self.moment))
    if let text = cell("tags") {
      guard let tags = Self.tags(text) else {
        return .broken(column: "tags", .badFormat, "It must be a JSON object of texts, numbers and Booleans.")
      }
      add("tags", .object(tags))
    }
    return .object(.object(JSONObject(members)))
  }

  private static func platform(_ type: String?) -> Platform? {
    switch type {
    case "0": .ios
    case "1": .android
    default: nil
    }
  }

  /// `notification_types`: 1 and more are kinds of notifications, everything else says why there are none.
  private static func isSubscribed(_ invalid: String?, _ types: String?) -> Bool {
    if let invalid, ImportCell.flag(invalid) != .bool(false) { return false }
    guard let types else { return true }
    return Int64(types).map { $0 > 0 } ?? false
  }

  /// Seconds, or `2030-01-31 12:00:00 UTC`.
  private static func moment(_ text: String) -> JSONValue {
    guard text.hasSuffix(" UTC") else { return ImportCell.moment(text) }
    return .string(text.dropLast(4).replacing(" ", with: "T", maxReplacements: 1) + "Z")
  }

  /// Numbers and Booleans as text, which all tags are here.
  private static func tags(_ text: String) -> JSONObject? {
    guard let object = ImportCell.object(text) else { return nil }
    var tags: [(String, JSONValue)] = []
    for (key, value) in object.members {
      switch value {
      case .string: tags.append((key, value))
      case .integer(let number): tags.append((key, .string("\(number)")))
      case .real(let number): tags.append((key, .string("\(number)")))
      case .bool(let flag): tags.append((key, .string("\(flag)")))
      case .null: break
      case .array, .object: return nil
      }
    }
    return JSONObject(tags)
  }
}
