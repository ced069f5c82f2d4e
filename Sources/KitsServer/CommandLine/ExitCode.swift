/// What the process tells its caller. The values are those of sysexits.h where one fits.
enum ExitCode: Int32, Sendable {
  case success = 0
  /// Refused by a rule, failed, or a message that did not complete.
  case failure = 1
  /// Wrong command line.
  case usage = 64
  /// The database or the server can't be reached; trying again may help.
  case unavailable = 69
  /// The output could not be written.
  case output = 74
  /// Wrong configuration.
  case configuration = 78
}
