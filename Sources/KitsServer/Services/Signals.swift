import Glibc

/// Turns SIGTERM and SIGINT into values, without any code running in a signal handler: the signals are blocked in
/// every thread and one thread waits for them.
enum Signals {
  static let shutdownNumbers = [SIGTERM, SIGINT]

  /// To be called while the process has one thread; threads made later inherit the mask.
  static func block() {
    var set = shutdownSet()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// A reader that went away is an error of the write, not the end of the process.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Yields the first signal. The second ends the process on the spot, from a thread that nothing can hold up, with
  /// the status a shell gives a process that died from that signal.
  static func shutdown() -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let isWaiting = BackgroundThread.start {
      continuation.yield(next())
      _exit(128 + next())
    }
    // Without the thread nobody could ever stop this process in order: better not to start.
    if !isWaiting { continuation.finish() }
    return stream
  }

  private static func next() -> Int32 {
    var set = shutdownSet()
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    return number
  }

  private static func shutdownSet() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in shutdownNumbers { sigaddset(&set, number) }
    return set
  }
}
