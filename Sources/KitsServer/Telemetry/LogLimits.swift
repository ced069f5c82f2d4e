/// Bounds of the log.
enum LogLimits {
  /// Fields beyond this are left out and counted in `fields_omitted`.
  static let fields = 32
  /// Bytes of one string value; longer ones are cut at a character and end in `…`.
  static let valueBytes = 2048
  /// Elements of a list value.
  static let listElements = 32
  /// Lines that wait for the writer; more are dropped and counted.
  static let queuedLines = 4096
  /// How long the end of the process waits for the last lines.
  static let flush = Duration.seconds(2)
}
