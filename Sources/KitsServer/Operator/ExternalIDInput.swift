import Glibc
internal import KitsCore

/// The external id of a command: an argument, or stdin, since every user of the machine can read a command line.
enum ExternalIDInput {
  static func read(_ arguments: Arguments) throws(CommandFailure) -> ExternalID {
    let text = try arguments.required("EXTERNAL_ID")
    guard text == "-" else { return try parse(text) }
    // With room for the end of the line.
    guard let bytes = SmallFile.read(STDIN_FILENO, limit: Limits.externalIDBytes.upperBound + 2) else {
      throw .refused("can't read the external id, or it is longer than \(Limits.externalIDBytes.upperBound) bytes")
    }
    guard let line = String(validating: withoutLineEnd(bytes), as: UTF8.self) else {
      throw .refused("the external id is not UTF-8")
    }
    return try parse(line)
  }

  static func parse(_ text: String) throws(CommandFailure) -> ExternalID {
    do {
      return try ExternalID(checking: text)
    } catch {
      throw .usage("the external id is not usable. \(error.detail)")
    }
  }

  private static func withoutLineEnd(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    guard bytes.last == UInt8(ascii: "\n") else { return bytes[...] }
    let line = bytes.dropLast()
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }
}
