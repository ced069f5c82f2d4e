import CNghttp2
import COpenSSL
import Foundation

/// One client connection: socket, TLS, HTTP/2 session and the requests in flight. Lives and dies on its worker's
/// thread; nothing else ever touches it.
final class Connection {
  let number: Int
  let socket: Int32
  unowned let worker: Worker
  let script: ConnectionScript
  let session: OpaquePointer
  private let ssl: OpaquePointer
  private let output = OutputBuffer()

  var exchanges: [Int32: Exchange] = [:]
  var credential = ConnectionCredential()
  /// Complete requests so far.
  var requests = 0
  var newestStream: Int32 = 0
  /// The newest stream whose notification was taken; 0 when there is none.
  var newestTaken: Int32 = 0
  var openStreams = 0
  /// The stream limit last announced.
  var streamLimit: UInt32
  /// Streams above this were refused by a GOAWAY; what still arrives on them is not looked at.
  var lastStream = Int32.max
  /// A reason that this connection now gives to everything, once scripted to go bad.
  var spoiled: Reason?
  var isWedged = false
  /// Scripted half-open peer: neither reads nor writes again.
  var isSilent = false
  /// The socket is to be closed as soon as nghttp2 is no longer on the call stack.
  var ending: Ending?
  var isReadingPaused = false
  /// `--fast`: the path of the header block being read is long enough to be a device path.
  var fastPathIsGood = false

  private(set) var wantsToWrite = false

  enum Ending {
    /// After everything due was written.
    case flushed
    /// Now, with FIN or (hard) RST.
    case killed(hard: Bool)
  }

  init(number: Int, socket: Int32, worker: Worker, script: ConnectionScript, tls: TLSContext) throws {
    self.number = number
    self.socket = socket
    self.worker = worker
    self.script = script
    streamLimit = worker.isFast ? script.streams : script.initialStreams
    let ssl = try tls.accept(socket: socket)
    var session: OpaquePointer?
    let option = worker.option(for: script)
    defer { nghttp2_option_del(option) }
    guard nghttp2_session_server_new2(&session, worker.callbacks.pointer, nil, option) == 0,
      let session
    else {
      SSL_free(ssl)
      throw TLSError.openSSL("session")
    }
    self.ssl = ssl
    self.session = session
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    sendPreface()
  }

  deinit {
    nghttp2_session_del(session)
    SSL_free(ssl)
    close(socket)
  }

  private func sendPreface() {
    if let goaway = script.goawayBeforeSettings {
      send(goaway)
      return
    }
    // What the real service was seen to send.
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: streamLimit),
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: 8_000),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 1 << 20)
  }

  /// Reads what there is, up to a fair share. False: the connection is over.
  func readAvailable(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard !isSilent, !isReadingPaused else { return true }
    for _ in 0..<Self.readsPerTurn {
      let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
      guard count > 0 else {
        let error = SSL_get_error(ssl, count)
        ERR_clear_error()
        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
      }
      let taken = nghttp2_session_mem_recv(
        session, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int(count))
      if taken < 0 {
        worker.tally.protocolErrors += 1
        return false
      }
      if ending != nil || isSilent { return true }
      if script.readPauseMilliseconds > 0 {
        isReadingPaused = true
        worker.schedule(self, after: script.readPauseMilliseconds, .resumeReading)
        return true
      }
      if SSL_has_pending(ssl) == 0, Int(count) < buffer.count { return true }
    }
    worker.readAgain(self)
    return true
  }

  /// Writes what is due. False: the connection is over.
  func flush() -> Bool {
    guard !isSilent else { return true }
    if case .killed(let hard)? = ending {
      if hard { setHardReset() }
      return false
    }
    wantsToWrite = false
    while true {
      output.fill(from: session)
      if output.isEmpty { break }
      let count = SSL_write(ssl, output.start, Int32(output.count))
      guard count > 0 else {
        let error = SSL_get_error(ssl, count)
        ERR_clear_error()
        if error == SSL_ERROR_WANT_READ { return true }
        wantsToWrite = error == SSL_ERROR_WANT_WRITE
        return wantsToWrite
      }
      output.consume(Int(count))
    }
    if case .flushed? = ending {
      SSL_shutdown(ssl)
      return false
    }
    return nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0
  }

  /// Requests that the client gave up by closing the connection.
  var abandonedStreams: Int {
    if case .killed? = ending { return 0 }
    return exchanges.values.count { $0.isComplete && !$0.isAnswered && $0.stream <= lastStream }
  }

  private func setHardReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Reads of 16 KB before the other connections of the worker get their turn.
  private static let readsPerTurn = 8
}
