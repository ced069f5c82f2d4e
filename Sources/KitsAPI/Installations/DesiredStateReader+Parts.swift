internal import Crypto
internal import JSON
internal import KitsCore

extension DesiredStateReader {
  func change<Value>(_ field: Field<Value>) -> Change<Value> {
    switch field {
    case .absent: .unchanged
    case .null: isPatch ? .cleared : .unchanged
    case .value(let value): .set(value)
    }
  }

  func text(_ name: String, _ bytes: ClosedRange<Int>) -> Change<String> {
    change(object.stringField(name, bytes: bytes, refuseControls: true))
  }

  func flag(_ name: String, default value: Bool) -> Bool? {
    setting(object.boolField(name), default: value)
  }

  func choice<Value>(_ name: String, _ options: [String: Value], default value: Value) -> Value? {
    setting(object.choiceField(name, options), default: value)
  }

  private func setting<Value>(_ field: Field<Value>, default value: Value) -> Value? {
    switch field {
    case .absent: nil
    case .null: isPatch ? value : nil
    case .value(let given): given
    }
  }

  /// Members merge one by one.
  func readCollection(_ state: inout DesiredState) {
    switch object.objectField("collection") {
    case .absent: break
    case .null:
      guard isPatch else { break }
      state.collectionEnabled = true
      state.collectionOn = .all
    case .value(let collection):
      let reader = DesiredStateReader(object: collection, isPatch: isPatch, platform: platform)
      state.collectionEnabled = reader.flag("enabled", default: true)
      for (name, feature) in CollectionConsent.Features.names {
        switch reader.flag(name, default: true) {
        case true?: state.collectionOn.insert(feature)
        case false?: state.collectionOff.insert(feature)
        case nil: break
        }
      }
    }
  }

  func identifiers(_ object: ObjectReader) -> [IdentifierSource: Change<IdentifierReport>] {
    let reader = DesiredStateReader(object: object, isPatch: isPatch, platform: platform)
    var changes: [IdentifierSource: Change<IdentifierReport>] = [:]
    for source in IdentifierSource.allCases {
      let change = reader.change(object.field(source.rawValue) { $0.object().flatMap(Self.report) })
      if change != .unchanged { changes[source] = change }
    }
    return changes
  }

  /// A source is replaced as a whole, so null inside of it is the same as leaving the member out.
  private static func report(_ object: ObjectReader) -> IdentifierReport? {
    let available = object.requiredBool("available")
    let limited = object.bool("limited", nullIsAbsent: true) ?? false
    let message = object.string(
      "message", bytes: Limits.identifierMessageBytes, refuseControls: true, nullIsAbsent: true)
    if object.has("value") { object.refuse("value", .notAllowed, "Only the hash of an identifier is taken.") }
    let hash = object.member("hash").flatMap { $0.isNull ? nil : digest($0) }
    guard let available else { return nil }
    if available, !object.has("hash") || object.value("hash")?.isNull == true {
      object.refuse("hash", .missing, "It is required when the identifier is available.")
      return nil
    }
    if !available, let value = object.value("hash"), !value.isNull {
      object.refuse("hash", .conflict, "There is no hash of what is not available.")
      return nil
    }
    return IdentifierReport(available: available, limited: limited, hash: hash, message: message)
  }

  private static func digest(_ member: ElementReader) -> String? {
    let digits = Limits.identifierHashDigits
    guard let text = member.string(bytes: 0...digits) else { return nil }
    guard text.utf8.count == digits, Hex.decode(text, case: .any) != nil else {
      return member.refuse(.badFormat, "It must be the \(digits) hexadecimal digits of a SHA-256.")
    }
    return text.lowercased()
  }
}

extension CollectionConsent.Features {
  static let names: [(String, CollectionConsent.Features)] = [
    ("users", .users), ("events", .events), ("activity", .activity), ("notification_events", .notificationEvents),
  ]
}
