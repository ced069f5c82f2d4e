/// The command line, or a file or body that configures the simulator, doesn't make sense; the text says what.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
