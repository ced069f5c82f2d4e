/// Gathers what one decode finds, so that a client learns all of it at once. A class, because readers of nested objects
/// share it; it stays within one decode and one thread.
package final class FaultCollector {
  /// How many faults are kept; the answer to a hostile body stays small.
  package static let limit = 100

  /// The faults, in the order in which they were found.
  package private(set) var faults: [JSONFault] = []
  /// How many more there were.
  package private(set) var omitted = 0

  /// An empty collector.
  package init() {}

  /// Whether nothing was found.
  package var isEmpty: Bool { faults.isEmpty }

  /// Keeps a fault, or counts it when there are enough.
  package func add(_ pointer: String, _ code: JSONFault.Code, _ detail: String) {
    guard faults.count < Self.limit else {
      omitted += 1
      return
    }
    faults.append(JSONFault(pointer: pointer, code: code, detail: detail))
  }
}
