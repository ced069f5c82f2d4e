/// Why a command ends with something other than success: a sentence for a person and a code for a script.
struct CommandFailure: Error, Equatable {
  let code: ExitCode
  let message: String

  static func usage(_ message: String) -> CommandFailure { CommandFailure(code: .usage, message: message) }
  static func refused(_ message: String) -> CommandFailure { CommandFailure(code: .failure, message: message) }
  static func unavailable(_ message: String) -> CommandFailure {
    CommandFailure(code: .unavailable, message: message)
  }

  static func configuration(_ error: ConfigError) -> CommandFailure {
    CommandFailure(code: .configuration, message: "the configuration is wrong:\n\(error)")
  }
}
