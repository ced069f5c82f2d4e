internal import Glibc

/// A value behind a pthread mutex, with a condition to wait for a change of it. The one lock of this target, and of
/// what is decided on its threads before a body is read: `Synchronization.Mutex` gives false races under the thread
/// sanitizer.
///
/// Unchecked because the compiler can't see that `value` is only touched with the mutex held.
package final class Guarded<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Tells waiters to look again.
  func signal() {
    pthread_cond_broadcast(condition)
  }

  /// Blocks the calling thread, which must not be one of Swift's, until the value satisfies `isDone` or time is up.
  @discardableResult
  func wait(until deadline: Instant, _ isDone: (Value) -> Bool) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    var time = deadline.timespec
    while !isDone(value) {
      guard pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else { return isDone(value) }
    }
    return true
  }
}
