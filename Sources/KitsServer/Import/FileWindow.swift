import Glibc

/// A file that is read from front to back, a piece at a time: what isn't taken yet, and what comes after it.
struct FileWindow {
  /// What one read asks for.
  static let piece = 262_144

  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var start = 0
  private(set) var isAtEnd = false
  /// Where in the file what isn't taken yet begins.
  private(set) var position: Int64

  /// - Parameter position: of the descriptor, which stays the caller's.
  init(_ descriptor: Int32, at position: Int64) throws(CommandFailure) {
    self.descriptor = descriptor
    self.position = position
    guard lseek(descriptor, Int(position), SEEK_SET) == Int(position) else {
      throw .refused("can't read the file from byte \(position): \(String(cString: strerror(errno)))")
    }
  }

  var count: Int { bytes.count - start }

  func peek<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...])) }
  }

  mutating func take(_ count: Int) {
    start += count
    position += Int64(count)
  }

  /// Reads a piece more; at the end of the file `isAtEnd` says so.
  mutating func fill() throws(CommandFailure) {
    guard !isAtEnd else { return }
    bytes.removeFirst(start)
    start = 0
    let old = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: Self.piece))
    var count = -1
    repeat {
      count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + old }, Self.piece) }
    } while count < 0 && errno == EINTR
    let number = errno
    bytes.removeLast(Self.piece - max(0, count))
    guard count >= 0 else { throw .refused("can't read the file: \(String(cString: strerror(number)))") }
    isAtEnd = count == 0
  }
}
