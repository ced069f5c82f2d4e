/// Where to listen and within which bounds.
package struct ServerConfiguration: Sendable {
  /// A numeric IPv4 or IPv6 address, or a name that resolves to one.
  package var host: String
  /// 0 takes any free port; `Server.port` tells which.
  package var port: Int
  /// Threads that wait for sockets; handlers run as Swift tasks, not on these.
  package var threads: Int
  package var limits: ServerLimits

  package init(
    host: String = "127.0.0.1", port: Int = 0, threads: Int = 2, limits: ServerLimits = ServerLimits()
  ) {
    self.host = host
    self.port = port
    self.threads = threads
    self.limits = limits
  }
}
