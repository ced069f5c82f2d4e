/// Why a body isn't acceptable JSON. The message never quotes the body, so it may be shown and logged.
package struct JSONSyntaxError: Error, Sendable, Equatable {
  /// A sentence.
  package let message: String
  /// How many bytes were read before the problem was seen.
  package let byteOffset: Int

  /// Names a problem and its place.
  package init(message: String, byteOffset: Int) {
    self.message = message
    self.byteOffset = byteOffset
  }
}
