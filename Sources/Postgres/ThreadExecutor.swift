internal import Glibc

/// One thread of its own for one connection: waiting for PostgreSQL never occupies one of Swift's few cooperative
/// threads. `@unchecked Sendable`: `jobs` and `stopped` are written by any thread and read by the loop, always
/// under `mutex`.
final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []
  private var stopped = false

  init() throws(PostgresError) {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(wakeUp, nil)
    try start()
  }

  deinit {
    pthread_cond_destroy(wakeUp)
    pthread_mutex_destroy(mutex)
    wakeUp.deallocate()
    mutex.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(mutex)
    jobs.append(job)
    pthread_cond_signal(wakeUp)
    pthread_mutex_unlock(mutex)
  }

  /// Ends the thread once its queue is empty. Called when the actor that it serves is gone, so nothing can follow.
  func stop() {
    pthread_mutex_lock(mutex)
    stopped = true
    pthread_cond_signal(wakeUp)
    pthread_mutex_unlock(mutex)
  }

  /// The thread keeps the executor alive until it ends.
  private func start() throws(PostgresError) {
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(self)
    let code = pthread_create(&thread, nil, { runThread($0) }, retained.toOpaque())
    guard code == 0 else {
      retained.release()
      throw .unavailable("no thread for a connection (error \(code))")
    }
    pthread_detach(thread)
  }

  fileprivate func loop() {
    while let batch = next() {
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  private func next() -> [UnownedJob]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty {
      if stopped { return nil }
      pthread_cond_wait(wakeUp, mutex)
    }
    let batch = jobs
    jobs.removeAll(keepingCapacity: true)
    return batch
  }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadExecutor>.fromOpaque(context).takeRetainedValue().loop()
  return nil
}
