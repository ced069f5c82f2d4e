import Glibc
internal import KitsAPI
internal import KitsCore

/// What is wrong with a file: the first faults for the screen, all of them for a file when one is wanted. Takes no more
/// memory for a million of them than for twenty.
struct ImportReport {
  private(set) var shown: [ImportFault] = []
  private let descriptor: Int32?
  private static let header = CSV.line(["line", "column", "code", "detail"])

  /// - Parameters:
  ///   - path: a file for all faults.
  ///   - continues: adds to the file what the rest of an interrupted import finds.
  init(path: String?, continues: Bool) throws(CommandFailure) {
    guard let path else {
      descriptor = nil
      return
    }
    // It may quote names of columns, nothing of what is in them; still only the owner's business.
    let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (continues ? O_APPEND : O_TRUNC), 0o600)
    guard number >= 0 else {
      throw .refused("can't write \(LogText.escaped(path)): \(String(cString: strerror(errno)))")
    }
    descriptor = number
    if lseek(number, 0, SEEK_END) == 0 { try write(Self.header) }
  }

  mutating func add(_ faults: [ImportFault]) throws(CommandFailure) {
    guard !faults.isEmpty else { return }
    shown += faults.prefix(max(0, Limits.importFaultsShown - shown.count))
    guard descriptor != nil else { return }
    try write(faults.map { CSV.line(["\($0.line)", $0.column, $0.code.importCode, $0.detail]) }.joined())
  }

  /// False when what was written may be lost.
  func close() throws(CommandFailure) {
    guard let descriptor, Glibc.close(descriptor) != 0 else { return }
    throw .refused("the report could not be written: \(String(cString: strerror(errno)))")
  }

  private func write(_ text: String) throws(CommandFailure) {
    guard let descriptor else { return }
    let number = Output.write(text, to: descriptor)
    guard number == 0 else { throw .refused("the report could not be written: \(String(cString: strerror(number)))") }
  }
}
