internal import CCurl
import Glibc

/// Plain requests, one at a time, for commands and webhooks: a thread and an easy handle each, HTTP/1.1 or 2.
///
/// No redirects, no proxy from the environment, no other schemes; size and time are bounded.
package struct SimpleHTTP: Sendable {
  package var timeout: Duration = .seconds(30)
  package var connectTimeout: Duration = .seconds(10)
  package var bodyLimit = 4 * 1_048_576
  package var tls = TLSOptions()
  package var schemes = Schemes.httpAndHTTPS
  package var addresses = AddressRule.any
  package var overflow = Overflow.fail
  /// Answers for names in place of the resolver's, as `name:port:address,…`; a test decides them.
  package var resolutions: [String] = []
  /// Keeps connections for the next request; nil opens a new one each time.
  package var idle: IdleHandles?

  package enum Schemes: String, Sendable {
    case httpAndHTTPS = "http,https"
    case https
  }

  /// What a body over the limit means.
  package enum Overflow: Sendable {
    /// There is no answer.
    case fail
    /// The answer ends there.
    case cut
  }

  package init(timeout: Duration = .seconds(30), bodyLimit: Int = 4 * 1_048_576, tls: TLSOptions = TLSOptions()) {
    self.timeout = timeout
    self.bodyLimit = bodyLimit
    self.tls = tls
  }

  /// Any status is an answer; it throws when there was none.
  package func send(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
  ) async throws -> SimpleResponse {
    let request = SimpleRequest(method: method, url: url, headers: headers, body: body)
    let client = self
    return try await withCheckedThrowingContinuation { continuation in
      do throws(HTTPClientError) {
        try LoopThread.start {
          continuation.resume(with: Result { try SimpleExchange.perform(request, client) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

package struct SimpleResponse: Sendable {
  package let status: Int
  /// In order, names in lower case.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

struct SimpleRequest: Sendable {
  let method: String
  let url: String
  let headers: [(name: String, value: String)]
  let body: [UInt8]?
}
