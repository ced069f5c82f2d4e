import Glibc

/// Reads small files without Foundation.
enum Files {
  static func read(_ path: String, limit: Int) throws(HTTPClientError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system(call: "open \(path)", errno: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = Glibc.read(file, &chunk, chunk.count)
      guard count >= 0 else { throw .system(call: "read \(path)", errno: errno) }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes
  }
}
