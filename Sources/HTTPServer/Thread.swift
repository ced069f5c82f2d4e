internal import Glibc

/// A detached thread for work that blocks, which must never happen on Swift's own threads.
enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      {
        // pthread_create hands over what it was given, and that is not nil.
        Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    // Out of threads at start or stop: nothing can go on from here.
    precondition(code == 0, "pthread_create failed: \(code)")
    pthread_detach(thread)
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
