/// One file that is imported into one app: how far it is. What is written with a batch's rows, in one transaction, is
/// what a run goes on from.
package struct ImportRun: Sendable, Equatable {
  /// SHA-256 of the file.
  package let fileHash: [UInt8]
  /// How it is read: a run goes on only as it was begun.
  package let settings: String
  /// Bytes of the file that are done; a row begins there.
  package var position: Int64
  /// Lines before it.
  package var line: Int64
  package var tally: ImportTally
  /// How often each kind of fault was found.
  package var faults: [String: Int64]
  package var isFinished: Bool

  package init(fileHash: [UInt8], settings: String) {
    self.init(
      fileHash: fileHash, settings: settings, position: 0, line: 0, tally: ImportTally(), faults: [:],
      isFinished: false)
  }

  package init(
    fileHash: [UInt8], settings: String, position: Int64, line: Int64, tally: ImportTally, faults: [String: Int64],
    isFinished: Bool
  ) {
    self.fileHash = fileHash
    self.settings = settings
    self.position = position
    self.line = line
    self.tally = tally
    self.faults = faults
    self.isFinished = isFinished
  }
}
