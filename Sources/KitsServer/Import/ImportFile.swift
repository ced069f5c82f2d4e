internal import Crypto
import Glibc

/// A file on disk that doesn't change while it is imported: read twice, first to know it again.
final class ImportFile: Sendable {
  let descriptor: Int32
  let size: Int64

  private static let gzip: [UInt8] = [0x1F, 0x8B]

  init(_ path: String) throws(CommandFailure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .refused("can't open \(LogText.escaped(path)): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .refused("\(LogText.escaped(path)) is not a file: what is imported is read twice")
    }
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// SHA-256 of all of it.
  func hash() throws(CommandFailure) -> [UInt8] {
    let chunks = Chunks(try FileWindow(descriptor, at: 0))
    let hash = SHA256.hash(chunks: chunks)
    if let failure = chunks.failure { throw failure }
    return hash
  }

  /// The first bytes, without a byte order mark, and where they begin.
  func head(_ count: Int) throws(CommandFailure) -> (start: Int64, bytes: [UInt8]) {
    var window = try FileWindow(descriptor, at: 0)
    while window.count < count + 3, !window.isAtEnd { try window.fill() }
    var bytes = window.peek { Array($0.prefix(count + 3)) }
    if bytes.starts(with: Self.gzip) { throw .refused("the file is compressed: `gunzip` it first") }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = bytes.starts(with: mark) ? mark.count : 0
    bytes.removeFirst(start)
    return (Int64(start), bytes)
  }

  /// All of it, a piece at a time; `failure` says when it isn't all. Stays within one call.
  private final class Chunks: Sequence, IteratorProtocol {
    private var window: FileWindow
    private(set) var failure: CommandFailure?

    init(_ window: FileWindow) {
      self.window = window
    }

    func next() -> [UInt8]? {
      do throws(CommandFailure) {
        try window.fill()
      } catch {
        failure = error
        return nil
      }
      if window.isAtEnd { return nil }
      let bytes = window.peek { Array($0) }
      window.take(bytes.count)
      return bytes
    }
  }
}
