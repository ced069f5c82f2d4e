import Dispatch
import Glibc

/// The executable `kits`.
///
/// `main()` is synchronous on purpose: signals have to be blocked while there is one thread, and a `main.swift` would
/// make its globals and closures main-actor-isolated without saying so. The main thread then only waits: handing it to
/// `dispatchMain()` would unblock all signals there, and nothing here runs on the main actor.
@main
enum Program {
  nonisolated static func main() {
    Output.openStandardDescriptors()
    Signals.ignoreBrokenPipes()
    let words = Array(Swift.CommandLine.arguments.dropFirst())
    let result: CommandParser.Result
    let environment = ProcessEnvironment.read()
    do { result = try CommandParser(root: CommandTree.root).parse(words) } catch {
      exit(report(error, environment).rawValue)
    }
    switch result {
    case .help(let path, let command):
      do { try Output.result(HelpText(path: path, command: command).rendered()) } catch {
        exit(report(error, environment).rawValue)
      }
      exit(ExitCode.success.rawValue)
    case .run(_, let command, let arguments):
      if command.handlesSignals { Signals.block() }
      let ended = DispatchSemaphore(value: 0)
      let code = Locked(ExitCode.failure)
      Task.detached {
        let result = await run(command, arguments, environment)
        code.withLock { $0 = result }
        ended.signal()
      }
      ended.wait()
      exit(code.withLock { $0 }.rawValue)
    }
  }

  private static func run(
    _ command: CommandSpec, _ arguments: Arguments, _ environment: [String: String]
  ) async -> ExitCode {
    let output = Output(
      form: Output.form(of: arguments), standardOutput: Output.result,
      standardError: { Output.write($0, to: STDERR_FILENO) })
    let invocation = Invocation(arguments: arguments, environment: environment, output: output)
    do {
      try await command.action?(invocation)
      return .success
    } catch let failure as CommandFailure {
      return report(failure, environment)
    } catch {
      // Nothing below throws anything else on purpose; say it rather than crash.
      return report(.refused("unexpected error: \(error)"), environment)
    }
  }

  private static func report(_ failure: CommandFailure, _ environment: [String: String]) -> ExitCode {
    let name = Terminal.of(STDERR_FILENO, environment: environment).colored("kits:", .red)
    let hint = failure.code == .usage ? "\nTry `kits --help`." : ""
    Output.write("\(name) \(failure.message)\(hint)\n", to: STDERR_FILENO)
    return failure.code
  }
}
