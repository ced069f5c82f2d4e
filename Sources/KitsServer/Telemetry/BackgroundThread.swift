import Glibc

/// A plain POSIX thread for work that blocks, which must never happen on Swift's cooperative threads.
enum BackgroundThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Starts a detached thread; false when the system refuses another one.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &thread, nil,
      { context in
        // The context is the one retain made below; a missing one can't run anything.
        guard let context else { return nil }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if code != 0 {
      work.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
