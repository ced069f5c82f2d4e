package import HTTPClient

/// Where APNs is and how to talk to it.
package struct APNsClientConfiguration: Sendable {
  package var productionURL = "https://api.push.apple.com"
  package var sandboxURL = "https://api.sandbox.push.apple.com"
  /// Extra trust anchors: PEM or DER.
  package var caFile: String?
  package var pins: [HostPins] = []
  package var loopThreads = 2
  /// Connections per pool at most.
  package var connectionsPerPool = 4
  /// Requests in flight per connection.
  package var window = 100
  package var requestDeadline: Duration = .seconds(30)
  package var connectTimeout: Duration = .seconds(10)
  /// Requests in flight and no answer for this long: the connection is dropped.
  package var silence: Duration = .seconds(10)
  /// Least time between two new connections of one pool.
  package var connectInterval: Duration = .seconds(1)
  package var connectBackoffLimit: Duration = .seconds(60)
  /// Least time between two provider tokens on one connection.
  package var tokenHold: Duration = .seconds(21 * 60)
  package var stopGrace: Duration = .seconds(5)
  /// Pools at most; the one unused for longest is closed for a new one.
  package var poolLimit = 256

  package init() {}

  func http() throws(HTTPClientError) -> HTTP2Configuration {
    var http = HTTP2Configuration()
    http.loopThreads = loopThreads
    http.connectionsPerPool = connectionsPerPool
    http.window = window
    http.requestDeadline = requestDeadline
    http.connectTimeout = connectTimeout
    http.silence = silence
    http.connectInterval = connectInterval
    http.connectBackoffLimit = connectBackoffLimit
    http.credentialHold = tokenHold
    http.stopGrace = stopGrace
    http.tls.pins = pins
    if let caFile { http.tls.anchors = try TrustAnchors(file: caFile) }
    return http
  }
}
