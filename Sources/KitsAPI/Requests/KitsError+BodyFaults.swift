internal import JSON
internal import KitsCore

extension KitsError {
  /// What is wrong with a body, all of it; nil without faults.
  init?(_ faults: FaultCollector) {
    guard !faults.isEmpty else { return nil }
    let count = faults.faults.count + faults.omitted
    self.init(
      .bodyInvalid, count == 1 ? "1 field is invalid." : "\(count) fields are invalid.",
      fields: faults.faults.map { .init(.pointer($0.pointer), $0.code.fieldCode, $0.detail) })
  }
}
