internal import JSON
internal import KitsCore

/// Reads `target`: exactly one way of naming recipients.
struct MessageTargetReader {
  private let reader: ObjectReader

  init(_ reader: ObjectReader) {
    self.reader = reader
  }

  /// Ways that later versions have.
  private static let laterKinds = ["segment_ids", "filter", "test_devices"]
  /// Narrows any of them, so it isn't one itself; a later version has it too.
  private static let laterExclusion = "exclude_segment_ids"

  /// Nil after a fault.
  func read() -> MessageTarget? {
    guard let target = reader.requiredObject("target") else { return nil }
    let kinds = (["installation_ids", "external_ids", "everyone"] + Self.laterKinds).filter { target.given($0) != nil }
    if kinds.count != 1 {
      reader.refuse(
        "target", .conflict,
        kinds.isEmpty ? "It must have one member." : "It must have one member only, not \(list(kinds)).")
    }
    for name in Self.laterKinds + [Self.laterExclusion] where target.given(name) != nil {
      target.refuse(name, .notAvailableYet, "It is not available in this version.")
    }
    let everyone = self.everyone(target)
    let installations = self.installations(target)
    let users = self.users(target)
    target.refuseUnknown()
    return installations ?? users ?? everyone
  }

  private func everyone(_ target: ObjectReader) -> MessageTarget? {
    guard let flag = target.bool("everyone", nullIsAbsent: true) else { return nil }
    guard flag else {
      target.refuse("everyone", .notAllowed, "It can only be true.")
      return nil
    }
    return .everyone
  }

  private func installations(_ target: ObjectReader) -> MessageTarget? {
    guard let elements = target.array("installation_ids", count: Limits.targetIDs, nullIsAbsent: true) else {
      return nil
    }
    return .installations(elements.compactMap { $0.uuid().map(InstallationID.init) })
  }

  private func users(_ target: ObjectReader) -> MessageTarget? {
    guard let elements = target.array("external_ids", count: Limits.targetIDs, nullIsAbsent: true) else { return nil }
    return .users(elements.compactMap { $0.externalID() })
  }

  private func list(_ names: [String]) -> String {
    names.joined(separator: " and ")
  }
}
