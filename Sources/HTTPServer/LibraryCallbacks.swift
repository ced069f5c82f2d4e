internal import CMicrohttpd
internal import Glibc

/// The functions that libmicrohttpd calls. `cls` is the `ServerCore`, retained for as long as the daemon lives.
enum LibraryCallbacks {
  static func options(core: UnsafeMutableRawPointer, socket: Int32, threads: Int, limits: ServerLimits)
    -> kits_mhd_options
  {
    kits_mhd_options(
      cls: core, listen_socket: socket, threads: UInt32(threads),
      connection_limit: UInt32(clamping: max(limits.connections, threads)),
      per_address_limit: UInt32(clamping: limits.connectionsPerAddress ?? 0), pool_bytes: limits.poolBytes,
      log: { cls, format, arguments in LibraryCallbacks.log(cls, format, arguments) },
      target: { cls, target, connection in LibraryCallbacks.target(cls, target, connection) },
      // Targets are decoded by us, strictly; the library's own decoding would also cut them at an encoded NUL.
      unescape: { _, _, text in text.map { strlen($0) } ?? 0 },
      access: { _, _, _, method, version, piece, count, context in
        LibraryCallbacks.access(method, version, piece, count, context) ? .YES : .NO
      },
      completed: { _, _, context, code in LibraryCallbacks.completed(context, code) },
      connection: { cls, connection, context, code in LibraryCallbacks.connection(cls, connection, context, code) })
  }

  private static func log(
    _ cls: UnsafeMutableRawPointer?, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
  ) {
    guard let cls, let format, let arguments else { return }
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
      return buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    let core = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue()
    core.observe(.library(String(text.prefix { $0 != "\n" })))
    // 0.9.75 goes on after it refused a Content-Length: it would send its answer's head twice and keep the connection.
    if strstr(format, "Content-Length") != nil { core.refuseUnreadableLength() }
  }

  /// The request line is complete. What this returns becomes the request's context.
  private static func target(
    _ cls: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?
  ) -> UnsafeMutableRawPointer? {
    guard let cls, let target, let handle, let context = kits_mhd_socket_context(handle) else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue()
    let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    let length = strlen(target)
    let text = String(decoding: UnsafeRawBufferPointer(start: target, count: length), as: UTF8.self)
    let place = TargetPlace(address: UInt(bitPattern: target), length: length, text: text)
    // The library would store every query pair in the memory that the head shares, and run out of it early: it finds
    // an empty query instead. The bytes are its own buffer, writable, and not read again.
    if let question = strchr(target, 0x3f) { question[1] = 0 }
    let exchange = Exchange(core: core, connection: connection, handle: handle, target: place)
    connection.exchange = exchange
    return Unmanaged.passRetained(exchange).toOpaque()
  }

  private static func access(
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Bool {
    guard let method, let version, let count, let exchange = context?.pointee else { return false }
    return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
      .proceed(method: method, version: version, piece: piece, count: count)
  }

  private static func completed(
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
  ) {
    guard let context, let exchange = context.pointee else { return }
    context.pointee = nil
    Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue()
      .completed(isComplete: code == .REQUEST_TERMINATED_COMPLETED_OK)
  }

  private static func connection(
    _ cls: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_ConnectionNotificationCode
  ) {
    guard let cls, let handle, let context else { return }
    let registry = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue().registry
    if code == .CONNECTION_NOTIFY_STARTED {
      let address = ListeningSocket.text(of: kits_mhd_address(handle))
      let connection = Connection(socket: kits_mhd_socket(handle), remoteAddress: address)
      registry.insert(connection)
      context.pointee = Unmanaged.passRetained(connection).toOpaque()
    } else if let known = context.pointee {
      context.pointee = nil
      registry.remove(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
    }
  }
}
