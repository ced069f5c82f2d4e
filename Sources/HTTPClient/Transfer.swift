internal import CCurl
import Glibc

/// One easy handle of a connection and the request it carries at the moment. Reused for the connection's life.
///
/// Confined to the loop thread of its connection; libcurl's callbacks run there too, inside `socket_action`.
final class Transfer {
  let easy: Easy
  let writer: RequestWriter
  /// Outlives the transfer: the connection frees its transfers before itself.
  unowned let connection: Connection
  private(set) var work: Work?
  /// Index in the connection's list of transfers in flight.
  var place = 0
  /// The stream id is this or higher: all bodies handed over before the transfer began have lower ids.
  var leastStream = 0
  private var bodyOffset = 0
  /// The last byte of the body was given to libcurl.
  private(set) var bodyComplete = false
  private(set) var leaseExpired = false
  private(set) var refused = false
  /// libcurl gave the stream up and would try again by itself.
  private(set) var abandoned = false
  /// libcurl complained about the transfer after its body was handed over.
  private var hasComplaint = false
  private(set) var response: [UInt8] = []

  init(connection: Connection) throws(HTTPClientError) {
    guard let handle = curl_easy_init() else { throw .system(call: "curl_easy_init", errno: ENOMEM) }
    easy = Easy(handle: handle)
    writer = RequestWriter()
    self.connection = connection
    setFixedOptions(connection.pool, connection.address)
  }

  deinit { curl_easy_cleanup(easy.handle) }

  /// Writes the request. False when it can't go on the wire.
  func prepare(_ work: Work) -> Bool {
    self.work = work
    bodyOffset = 0
    bodyComplete = false
    leaseExpired = false
    refused = false
    abandoned = false
    hasComplaint = false
    response.removeAll(keepingCapacity: true)
    writer.credential = connection.credential.current?.value ?? ""
    work.batch.source.write(work.index, to: writer)
    guard writer.isValid, writer.bodyCount > 0 else { return false }
    easy.set(CURLOPT_REQUEST_TARGET, writer.target)
    easy.set(CURLOPT_HTTPHEADER, writer.headerList())
    easy.set(CURLOPT_POSTFIELDSIZE, writer.bodyCount)
    easy.set(CURLOPT_VERBOSE, 0)
    return true
  }

  /// Lets go of the request.
  func release() -> Work? { work.take() }

  // MARK: - From libcurl's callbacks

  /// The last door before the network: a request whose lease ran out while it waited inside libcurl stops here.
  func read(into buffer: UnsafeMutableRawPointer, limit: Int) -> Int {
    guard let work, Clocks.boot() < work.batch.handOverBefore else {
      leaseExpired = true
      return Int(CURL_READFUNC_ABORT)
    }
    let rest = writer.body(from: bodyOffset)
    let count = min(limit, rest.count)
    if let base = rest.baseAddress { memcpy(buffer, base, count) }
    bodyOffset += count
    if bodyOffset == writer.bodyCount, !bodyComplete {
      bodyComplete = true
      connection.bodyHandedOver()
      // From here libcurl's remarks matter: they alone tell a refused stream from a lost one.
      easy.set(CURLOPT_VERBOSE, 1)
    }
    return count
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    let room = connection.pool.configuration.responseBodyLimit - response.count
    if room > 0 { response.append(contentsOf: bytes.prefix(room)) }
  }

  /// What libcurl says between the end of the body and the answer.
  ///
  /// A refused stream and a broken connection both end in a hidden retry, announced by the same words. Before those,
  /// libcurl complains about every failure to read, and keeps silent about a refused stream. As a second sign, a
  /// refusal leaves the socket open or comes with a GOAWAY. Only when both signs agree does the request count as
  /// refused. Complaints about writing don't matter: they never lead to a retry.
  func remark(_ text: UnsafeRawBufferPointer) {
    guard !abandoned else { return }
    // The two that come with every request and mean nothing here.
    if text.starts(with: "We are completely uploaded") || text.starts(with: "Connection #") { return }
    if text.starts(with: "REFUSED_STREAM") {
      abandon(refused: true)
    } else if text.starts(with: "Connection died, retrying") {
      abandon(refused: !hasComplaint && (connection.hasGoAway || connection.isSocketOpen))
    } else if text.contains("GOAWAY") {
      connection.sawGoAway(lastStream: text.number(after: "last_stream=") ?? Int(Int32.max))
    } else if !Self.harmless.contains(where: { text.starts(with: $0) }) {
      hasComplaint = true
    }
  }

  private static let harmless: [StaticString] = ["Send failure", "OpenSSL SSL_write"]

  private func abandon(refused isRefused: Bool) {
    abandoned = true
    refused = isRefused
    connection.abandoned(self)
  }

  // MARK: - Options that never change

  private func setFixedOptions(_ pool: ConnectionPool, _ address: Address) {
    let itself = Unmanaged.passUnretained(self).toOpaque()
    // The origin is taken apart once. Each request names its path by itself.
    easy.set(CURLOPT_CURLU, UnsafeRawPointer(address.handle))
    easy.set(CURLOPT_PRIVATE, UnsafeRawPointer(itself))
    easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    easy.set(CURLOPT_PIPEWAIT, 1)
    easy.set(CURLOPT_NOSIGNAL, 1)
    easy.set(CURLOPT_NOPROGRESS, 1)
    easy.set(CURLOPT_PROXY, "")
    // Spares libcurl a look into the process's environment for each request.
    easy.set(CURLOPT_NOPROXY, "*")
    easy.set(CURLOPT_PROTOCOLS_STR, "https")
    easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    easy.set(CURLOPT_MAXAGE_CONN, 7 * 86_400)
    easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, pool.configuration.connectTimeout.milliseconds)
    easy.set(CURLOPT_POST, 1)
    // libcurl allocates it for each request; the least it takes is plenty. Its counterpart for answers must stay as it
    // is: an answer that doesn't fit stops the whole connection.
    easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    easy.applyTLS(pool.configuration.tls, host: pool.origin.host)
    setCallbacks(itself)
  }

  private func setCallbacks(_ itself: UnsafeMutableRawPointer) {
    easy.set(CURLOPT_READDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_read(easy.handle) { buffer, size, count, itself in
      guard let buffer, let itself else { return Int(CURL_READFUNC_ABORT) }
      return Transfer.at(itself).read(into: UnsafeMutableRawPointer(buffer), limit: size * count)
    }
    easy.set(CURLOPT_WRITEDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_write(easy.handle) { bytes, size, count, itself in
      guard let bytes, let itself else { return 0 }
      Transfer.at(itself).receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      return size * count
    }
    easy.set(CURLOPT_DEBUGDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_debug(easy.handle) { _, kind, text, size, itself in
      guard kind == CURLINFO_TEXT, let text, let itself else { return 0 }
      Transfer.at(itself).remark(UnsafeRawBufferPointer(start: text, count: size))
      return 0
    }
    easy.set(CURLOPT_OPENSOCKETDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_opensocket(easy.handle) { itself, _, address in
      guard let itself, let address, Transfer.at(itself).connection.mayOpenSocket else { return CURL_SOCKET_BAD }
      let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
      return socket(address.pointee.family, kind, address.pointee.protocol)
    }
  }

  @inline(__always)
  static func at(_ pointer: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
  }
}

extension UnsafeRawBufferPointer {
  func starts(with prefix: StaticString) -> Bool {
    guard let base = baseAddress, count >= prefix.utf8CodeUnitCount else { return false }
    return memcmp(base, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }

  /// The decimal number behind a word.
  func number(after word: StaticString) -> Int? {
    let length = word.utf8CodeUnitCount
    guard count > length, let base = baseAddress else { return nil }
    guard let at = (0...(count - length)).first(where: { memcmp(base + $0, word.utf8Start, length) == 0 }) else {
      return nil
    }
    return Int(String(decoding: self[(at + length)...].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
  }

  /// A plain search; libcurl's remarks are short and few.
  func contains(_ needle: StaticString) -> Bool {
    let length = needle.utf8CodeUnitCount
    guard count >= length, let base = baseAddress else { return false }
    return (0...(count - length)).contains { memcmp(base + $0, needle.utf8Start, length) == 0 }
  }
}
