internal import Glibc

/// A value behind a pthread mutex: never held across an `await`, never while calling code of others.
/// `Synchronization.Mutex` would do, but the thread sanitizer reports false races for it; it understands pthreads.
/// `@unchecked Sendable`: `value` is only touched between lock and unlock.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func callAsFunction<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
