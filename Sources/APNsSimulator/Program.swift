import Foundation
import HTTPServer

/// Start, signal, stop.
enum Program {
  private static let usageStatus: Int32 = 64
  private static let failureStatus: Int32 = 1

  static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try Options(arguments)
      if options.wantsHelp {
        print(Options.help)
        return 0
      }
      try serve(options)
      return 0
    } catch let error as UsageError {
      complain(error)
      return usageStatus
    } catch {
      complain(error)
      return failureStatus
    }
  }

  private static func serve(_ options: Options) throws {
    signal(SIGPIPE, SIG_IGN)
    // Blocked before any thread starts, so that only sigwait below ever sees them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    let setup = try Setup(options)
    setup.startWorkers()
    try setup.admin.start()
    try announce(setup, options)

    if options.endsWithInput { followInput() }

    var received: Int32 = 0
    sigwait(&signals, &received)
    // Nothing is kept on disk and no client is owed a farewell. Not exit(): its handlers would tear OpenSSL down
    // under the workers.
    _exit(0)
  }

  private static func announce(_ setup: Setup, _ options: Options) throws {
    let line = ReadyLine.write(setup, options)
    if let path = options.readyFile { try AtomicFile.write(line, to: path) }
    FileHandle.standardOutput.write(Data(line))
  }

  /// Turns the end of standard input into the signal that ends the process.
  private static func followInput() {
    Thread {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      kill(getpid(), SIGTERM)
    }.start()
  }

  private static func complain(_ error: any Error) {
    FileHandle.standardError.write(Data("apns-simulator: \(error)\n".utf8))
  }
}
