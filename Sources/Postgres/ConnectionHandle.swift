internal import CPostgres

/// Owns the PGconn. Only the connection's actor uses it; freeing closes the socket.
final class ConnectionHandle {
  let pointer: OpaquePointer

  /// nil when out of memory.
  init?(starting keywords: [(String, String)]) {
    let storage = keywords.map { (Array($0.0.utf8CString), Array($0.1.utf8CString)) }
    var names: [UnsafePointer<CChar>?] = []
    var values: [UnsafePointer<CChar>?] = []
    // libpq copies the strings during the call; the buffers are freed right after it.
    let copies = storage.map { (Self.copy($0.0), Self.copy($0.1)) }
    defer {
      for copy in copies {
        copy.0.deallocate()
        copy.1.deallocate()
      }
    }
    for copy in copies {
      names.append(UnsafePointer(copy.0))
      values.append(UnsafePointer(copy.1))
    }
    names.append(nil)
    values.append(nil)
    guard let pointer = PQconnectStartParams(names, values, 1) else { return nil }
    self.pointer = pointer
    // libpq prints notices to stderr by default; they may quote values.
    PQsetNoticeReceiver(pointer, { _, _ in }, nil)
  }

  deinit { PQfinish(pointer) }

  /// libpq's last message about the connection, in one line.
  var lastMessage: String {
    String(cString: PQerrorMessage(pointer)).split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
      .joined(separator: "; ")
  }

  private static func copy(_ text: [CChar]) -> UnsafeMutablePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
    copy.initialize(from: text, count: text.count)
    return copy
  }
}
