import Foundation

/// One keep-alive connection of the load: at most one request in flight.
final class LoadClient {
  let socket: Int32
  private(set) var sentAt: UInt64 = 0
  private let request: UnsafeMutableBufferPointer<UInt8>
  private let response: UnsafeMutableBufferPointer<UInt8>
  private var filled = 0

  enum Answer {
    case incomplete
    case complete(status: Int)
    case closed
  }

  /// - Parameter template: the request, whose length never changes.
  init(_ template: [UInt8], port: Int) throws(BenchError) {
    socket = try Loopback.connect(port: port)
    request = .allocate(capacity: template.count)
    _ = request.initialize(from: template)
    response = .allocate(capacity: 16_384)
  }

  deinit {
    close(socket)
    request.deallocate()
    response.deallocate()
  }

  /// False when the server closed the connection. A request is small: the socket takes it whole.
  func send(_ renew: (UnsafeMutablePointer<UInt8>) -> Void) -> Bool {
    guard let bytes = request.baseAddress else { return false }
    renew(bytes)
    filled = 0
    sentAt = Moment.monotonic
    return Glibc.send(socket, bytes, request.count, Int32(MSG_NOSIGNAL)) == request.count
  }

  func receive() -> Answer {
    guard let bytes = response.baseAddress else { return .closed }
    let count = recv(socket, bytes + filled, response.count - filled, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN { return .incomplete }
    guard count > 0 else { return .closed }
    filled += count
    guard let frame = ResponseFrame(UnsafeBufferPointer(response), count: filled) else { return .incomplete }
    return .complete(status: frame.status)
  }

  /// Of the last response.
  var body: [UInt8] {
    guard let frame = ResponseFrame(UnsafeBufferPointer(response), count: filled) else { return [] }
    return Array(response[frame.bodyStart..<frame.end])
  }

  /// The last response, to tell what went wrong.
  var text: String { String(decoding: response.prefix(filled), as: UTF8.self) }
}
