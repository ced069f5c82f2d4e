/// One request, told when its response was sent or given up.
package struct AnsweredRequest: Sendable {
  /// nil when the head could not be read.
  package let method: HTTPMethod?
  /// The route's pattern; nil when none matched. Patterns, unlike paths, make bounded metric labels.
  package let pattern: String?
  package let status: Int
  package let requestID: String
  package let remoteAddress: String
  package let duration: Duration
  package let requestBytes: Int
  package let responseBytes: Int
  /// False when the connection broke before the response was out.
  package let isComplete: Bool
}
