import Glibc

/// Reads a file of bounded size: key files, request data, /proc.
enum SmallFile {
  /// Nil when it can't be opened or read, or is larger than `limit`.
  static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return read(descriptor, limit: limit)
  }

  /// The same of a descriptor that is open already, which stays the caller's.
  static func read(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while content.count <= limit {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      content.append(contentsOf: chunk[..<count])
    }
    return nil
  }
}
