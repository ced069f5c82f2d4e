internal import CPostgres

extension Connection {
  /// How much is handed to libpq at once: it keeps what the socket doesn't take, so this bounds its buffer.
  private static let slice = 65_536

  /// Sends rows to a `COPY … FROM STDIN`; answers how many were taken. All of them, or none.
  func copy(_ sql: String, label: String, _ bytes: [UInt8], until deadline: Instant) throws(PostgresError) -> Int {
    let handle = try ready(until: deadline)
    guard PQsendQuery(handle.pointer, sql) == 1 else { throw refusedByLibpq(handle) }
    var wait = StatementWait(deadline: deadline, grace: configuration.cancelGrace)
    try flush(handle, &wait)
    var collected = Collected()
    if try begins(handle, &wait, &collected) {
      var start = 0
      while start < bytes.count {
        let count = min(Self.slice, bytes.count - start)
        // Even when the server has refused a row by now: it reads the rest and throws it away.
        switch put(bytes, start, count, handle) {
        case 1: start += count
        case 0: break
        default: throw lost(handle)
        }
        // Everything goes before more comes.
        try flush(handle, &wait)
      }
      guard PQputCopyEnd(handle.pointer, nil) == 1 else { throw lost(handle) }
      try flush(handle, &wait)
    }
    while let result = try nextResult(handle, &wait) { collected.add(result) }
    return try conclude(collected, label, handle, wait).affectedRows
  }

  /// Whether the server waits for rows; otherwise `collected` has its refusal.
  private func begins(
    _ handle: ConnectionHandle, _ wait: inout StatementWait, _ collected: inout Collected
  ) throws(PostgresError) -> Bool {
    guard let result = try anyResult(handle, &wait) else { throw lost(handle) }
    if result.status == PGRES_COPY_IN { return true }
    collected.add(result)
    return false
  }

  /// 1 when libpq took it, 0 when it has to send first.
  private func put(_ bytes: [UInt8], _ start: Int, _ count: Int, _ handle: ConnectionHandle) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return base.map { PQputCopyData(handle.pointer, $0 + start, Int32(count)) } ?? 1
    }
  }
}
