/// How much is going on, and whether new work is still taken. Guarded as one value so that a stop can't miss a request.
struct Load: Sendable {
  enum Phase: Sendable {
    case serving
    /// Requests are served, their connections closed after them.
    case draining
    /// No handler starts any more: a connection suspended from here on would make the library abort.
    case closing
  }

  var phase = Phase.serving
  /// Requests whose head was read and whose response isn't out.
  var running = 0
  /// Handlers at work, which is what their bound counts.
  var handlers = 0
  /// Connections that the library holds suspended: not fewer than the handlers, because a handler ends first.
  var suspended = 0
  var bodyBytes = 0
}
