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
}

extension CollectionConsent.Features {
  static let names: [(String, CollectionConsent.Features)] = [
    ("users", .users), ("events", .events), ("activity", .activity), ("notification_events", .notificationEvents),
  ]
}
