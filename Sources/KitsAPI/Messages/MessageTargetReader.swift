internal import JSON
internal import KitsCore
internal import KitsStore

/// Reads `target`: exactly one way of naming recipients, and whom of them to leave out.
struct MessageTargetReader {
  private let reader: ObjectReader

  init(_ reader: ObjectReader) {
    self.reader = reader
  }

  /// A target as it was read.
  struct Wish: Sendable {
    let target: MessageTarget
    let excluded: [SegmentID]
  }

  private static let kinds = MessageTargetKind.allCases.map(\.name)
  private static let named = [MessageTargetKind.installations, .users].map(\.name)
  private static let exclusion = "exclude_segment_ids"

  /// Nil after a fault.
  func read() -> Wish? {
    guard let target = reader.requiredObject("target") else { return nil }
    let kinds = Self.kinds.filter { target.given($0) != nil }
    if kinds.count != 1 {
      reader.refuse(
        "target", .conflict,
        kinds.isEmpty ? "It must have one member." : "It must have one member only, not \(list(kinds)).")
    }
    let excluded = segments(Self.exclusion, target)
    if excluded != nil, kinds.contains(where: Self.named.contains) {
      target.refuse(Self.exclusion, .notAllowed, "Of named installations or users nobody is left out: name fewer.")
    }
    let found = [
      installations(target), users(target), flag(.everyone, target), segments(target, without: excluded ?? []),
      target.given("filter").flatMap(FilterReader.read).map(MessageTarget.filter), flag(.testDevices, target),
    ]
    target.refuseUnknown()
    return found.lazy.compactMap { $0 }.first.map { Wish(target: $0, excluded: excluded ?? []) }
  }

  private func flag(_ kind: MessageTarget, _ target: ObjectReader) -> MessageTarget? {
    let name = kind.kind.name
    guard let flag = target.bool(name, nullIsAbsent: true) else { return nil }
    guard flag else {
      target.refuse(name, .notAllowed, "It can only be true.")
      return nil
    }
    return kind
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

  private func segments(_ target: ObjectReader, without excluded: [SegmentID]) -> MessageTarget? {
    guard let ids = segments(MessageTargetKind.segments.name, target) else { return nil }
    if !Set(ids).isDisjoint(with: excluded) {
      target.refuse(Self.exclusion, .conflict, "A segment can't be sent to and left out.")
    }
    return .segments(ids)
  }

  /// Each once.
  private func segments(_ name: String, _ target: ObjectReader) -> [SegmentID]? {
    let elements = target.array(name, count: Limits.segmentsPerAudience, nullIsAbsent: true)
    var seen = Set<SegmentID>()
    return elements?.compactMap { $0.uuid().map(SegmentID.init) }.filter { seen.insert($0).inserted }
  }

  private func list(_ names: [String]) -> String {
    names.joined(separator: " and ")
  }
}
