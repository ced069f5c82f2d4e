internal import CMicrohttpd
internal import Glibc

/// Reads a request's head from the library and checks what the library lets through.
///
/// libmicrohttpd parses in place: the head lies in one block of memory in which it replaced separators by NUL. So where
/// the pieces lie shows what was between them: a folded line, a NUL inside a value or a bare LF leaves a gap that isn't
/// exactly CRLF. This holds for 0.9.75 (Debian 12); on a version that copies, every request would be refused at once.
struct HeadReader {
  private(set) var fields: [(name: String, value: String)] = []
  private(set) var contentLengths: [String] = []
  private(set) var transferCodings: [String] = []
  private(set) var hosts: [String] = []

  /// Where the next piece has to begin, as an address.
  private var expected: UInt
  private var problem: Malformed?

  /// - Parameters:
  ///   - target: where the target lay and how many bytes it had before the library cut it at `?`.
  static func read(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: TargetPlace
  ) -> Result<HeadReader, Malformed> {
    let start = UInt(bitPattern: method)
    guard target.address == start + UInt(strlen(method)) + 1,
      UInt(bitPattern: version) == target.address + UInt(target.length) + 1
    else { return .failure(Malformed("request line is not method, target and version with one space between")) }
    var reader = HeadReader(expected: UInt(bitPattern: version) + 8 + 2)
    withUnsafeMutablePointer(to: &reader) { pointer in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameLength, value, valueLength in
          guard let reader = context?.assumingMemoryBound(to: HeadReader.self), let name else { return .NO }
          return reader.pointee.take(name, nameLength, value, valueLength) ? .YES : .NO
        }, pointer)
    }
    if let problem = reader.problem { return .failure(problem) }
    guard reader.expected + 2 == start + UInt(kits_mhd_head_bytes(connection)) else {
      return .failure(Malformed("header lines do not end in CRLF"))
    }
    return .success(reader)
  }

  private init(expected: UInt) {
    self.expected = expected
  }

  private mutating func take(
    _ name: UnsafePointer<CChar>, _ nameLength: Int, _ value: UnsafePointer<CChar>?, _ valueLength: Int
  ) -> Bool {
    let nameBytes = UnsafeRawBufferPointer(start: name, count: nameLength)
    guard nameLength > 0, nameBytes.allSatisfy(ASCII.isToken) else { return fail("header name is not a token") }
    guard let value else { return fail("header without a value") }
    guard UInt(bitPattern: name) == expected, UInt(bitPattern: value) > expected + UInt(nameLength) else {
      return fail("header line is folded or does not end in CRLF")
    }
    expected = UInt(bitPattern: value) + UInt(valueLength) + 2
    let valueBytes = UnsafeRawBufferPointer(start: value, count: valueLength)
    guard valueBytes.allSatisfy(ASCII.isFieldValue) else { return fail("header value has a control character") }
    add(String(decoding: nameBytes, as: UTF8.self), Self.text(valueBytes))
    return true
  }

  private mutating func fail(_ reason: String) -> Bool {
    problem = Malformed(reason)
    return false
  }

  private mutating func add(_ name: String, _ value: String) {
    fields.append((name, value))
    switch name.utf8.count {
    case 4 where Headers.same(name, "Host"): hosts.append(value)
    case 14 where Headers.same(name, "Content-Length"): contentLengths.append(value)
    case 17 where Headers.same(name, "Transfer-Encoding"): transferCodings.append(value)
    default: break
    }
  }

  /// UTF-8 where it is, else Latin-1, which loses nothing; without the blanks around.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var bytes = bytes[...]
    while let last = bytes.last, last == ASCII.space || last == ASCII.tab { bytes.removeLast() }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
