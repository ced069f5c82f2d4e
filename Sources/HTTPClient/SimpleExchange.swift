internal import CCurl
import Glibc

/// One request of `SimpleHTTP` on its own thread; libcurl's callbacks fill it in.
final class SimpleExchange {
  private let limit: Int
  private var headers: [(name: String, value: String)] = []
  private var body: [UInt8] = []
  private var isTooLarge = false
  private let addresses: AddressRule
  /// An address that the rule refused was among those of the host.
  private var isAddressRefused = false
  private var headerCount = 0
  private static let headerLimit = 65_536

  private init(_ client: SimpleHTTP) {
    limit = client.bodyLimit
    addresses = client.addresses
  }

  static func perform(_ request: SimpleRequest, _ client: SimpleHTTP) throws(HTTPClientError) -> SimpleResponse {
    Curl.ready
    let lines = try HeaderList(request.headers)
    let names = HeaderList(lines: client.resolutions)
    let origin = origin(of: request.url)
    guard let handle = client.idle?.take(origin) ?? curl_easy_init() else {
      throw .system(call: "curl_easy_init", errno: 12)
    }
    defer {
      if let idle = client.idle { idle.keep(handle, for: origin) } else { curl_easy_cleanup(handle) }
    }
    let exchange = SimpleExchange(client)
    let code = exchange.run(Easy(handle: handle), request, client, (lines, names))
    if exchange.isTooLarge {
      if client.overflow == .fail { throw .responseTooLarge(limit: client.bodyLimit) }
    } else if code != CURLE_OK, exchange.isAddressRefused {
      throw .addressRefused
    } else {
      try check(code)
    }
    return SimpleResponse(
      status: Easy(handle: handle).long(CURLINFO_RESPONSE_CODE), headers: exchange.headers, body: exchange.body)
  }

  private func run(
    _ easy: Easy, _ request: SimpleRequest, _ client: SimpleHTTP, _ lists: (headers: HeaderList, names: HeaderList)
  ) -> CURLcode {
    easy.set(CURLOPT_URL, request.url)
    easy.set(CURLOPT_PROTOCOLS_STR, client.schemes.rawValue)
    if client.addresses != .any { easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1) }
    easy.set(CURLOPT_FOLLOWLOCATION, 0)
    easy.set(CURLOPT_PROXY, "")
    easy.set(CURLOPT_NOSIGNAL, 1)
    easy.set(CURLOPT_TIMEOUT_MS, client.timeout.milliseconds)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, client.connectTimeout.milliseconds)
    easy.set(CURLOPT_CUSTOMREQUEST, request.method)
    if request.method == "HEAD" { easy.set(CURLOPT_NOBODY, 1) }
    easy.set(CURLOPT_HTTPHEADER, lists.headers.pointer)
    if let names = lists.names.pointer { easy.set(CURLOPT_RESOLVE, names) }
    easy.applyTLS(client.tls, host: Self.host(of: request.url))
    setCallbacks(easy)
    guard let body = request.body else { return curl_easy_perform(easy.handle) }
    return body.withUnsafeBytes { bytes in
      easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: bytes.count)
      easy.set(CURLOPT_POSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(easy.handle))
      return curl_easy_perform(easy.handle)
    }
  }

  private func setCallbacks(_ easy: Easy) {
    let itself = Unmanaged.passUnretained(self).toOpaque()
    easy.set(CURLOPT_WRITEDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_write(easy.handle) { bytes, size, count, itself in
      guard let bytes, let itself else { return 0 }
      let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return SimpleExchange.at(itself).receive(part) ? part.count : 0
    }
    easy.set(CURLOPT_HEADERDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_header(easy.handle) { bytes, size, count, itself in
      guard let bytes, let itself else { return 0 }
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return SimpleExchange.at(itself).receiveHeader(line) ? line.count : 0
    }
    guard addresses != .any else { return }
    easy.set(CURLOPT_OPENSOCKETDATA, UnsafeRawPointer(itself))
    _ = kits_easy_set_opensocket(easy.handle) { itself, _, address in
      guard let itself, let address else { return CURL_SOCKET_BAD }
      return SimpleExchange.at(itself).openSocket(address)
    }
  }

  private func receive(_ part: UnsafeRawBufferPointer) -> Bool {
    guard body.count + part.count <= limit else {
      isTooLarge = true
      body += part.prefix(limit - body.count)
      return false
    }
    body += part
    return true
  }

  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard addresses.allows(address) else {
      isAddressRefused = true
      return CURL_SOCKET_BAD
    }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, kind, address.pointee.protocol)
  }

  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    headerCount += bytes.count
    guard headerCount <= Self.headerLimit else { return false }
    receiveHeader(String(decoding: bytes, as: UTF8.self))
    return true
  }

  private func receiveHeader(_ line: String) {
    // A status line begins an answer; what an interim answer said before is forgotten.
    if line.hasPrefix("HTTP/") { return headers.removeAll() }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    headers.append((line[..<colon].lowercased(), String(value.reversed().drop(while: \.isWhitespace).reversed())))
  }

  /// Scheme, host and port as they are written: good enough to find a handle with an open connection.
  private static func origin(of url: String) -> String {
    guard let scheme = url.range(of: "://") else { return url }
    return String(url[..<scheme.upperBound] + url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
  }

  /// The host in the address, for its pins; libcurl judges the address itself.
  private static func host(of url: String) -> String {
    guard let scheme = url.range(of: "://") else { return "" }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let server = authority.split(separator: "@").last ?? authority
    return (try? Origin("https://\(server)"))?.host ?? ""
  }

  private static func at(_ pointer: UnsafeMutableRawPointer) -> SimpleExchange {
    Unmanaged<SimpleExchange>.fromOpaque(pointer).takeUnretainedValue()
  }
}

/// libcurl's list of lines, freed with it.
private final class HeaderList {
  private var list: UnsafeMutablePointer<curl_slist>?
  var pointer: UnsafeRawPointer? { UnsafeRawPointer(list) }

  init(lines: [String]) {
    for line in lines { list = curl_slist_append(list, line) }
  }

  init(_ headers: [(name: String, value: String)]) throws(HTTPClientError) {
    for (name, value) in headers {
      let line = value.isEmpty ? "\(name);" : "\(name): \(value)"
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), !name.isEmpty else {
        throw .curl(code: Int(CURLE_BAD_FUNCTION_ARGUMENT.rawValue), "a header holds control characters")
      }
      list = curl_slist_append(list, line)
    }
  }

  deinit { curl_slist_free_all(list) }
}
