import Glibc

/// Starts a detached thread for blocking work.
enum LoopThread {
  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  static func start(_ body: @escaping @Sendable () -> Void) throws(HTTPClientError) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, Self.main, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw .system(call: "pthread_create", errno: result)
    }
    pthread_detach(thread)
  }

  /// Signals belong to the main thread; above all a write to a closed socket must not end the process.
  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
    var everything = sigset_t()
    sigfillset(&everything)
    pthread_sigmask(SIG_BLOCK, &everything, nil)
    guard let pointer else { return nil }
    let box = Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
    box.body()
    return nil
  }
}
