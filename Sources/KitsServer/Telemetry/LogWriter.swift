import Dispatch
import Glibc
import Synchronization

/// Writes lines to a descriptor from a thread of its own, so that a slow terminal or a full pipe never holds up
/// the caller. When the queue is full, lines are dropped and counted, and the log says so as soon as it can.
final class LogWriter: Sendable {
  private struct Queue {
    var lines: [String] = []
    /// Signalled once everything queued before them is written.
    var waiting: [DispatchSemaphore] = []
  }

  private let descriptor: Int32
  private let capacity: Int
  /// Written by every caller, emptied by the writer thread.
  private let queue = Locked(Queue())
  private let work = DispatchSemaphore(value: 0)
  /// Lines dropped since the start; written by callers, read by the writer and by metrics.
  let dropped = Atomic<Int>(0)
  private let isThreaded = Atomic<Bool>(false)

  /// The descriptor stays the caller's; it must outlive the writer.
  init(descriptor: Int32, capacity: Int = LogLimits.queuedLines) {
    self.descriptor = descriptor
    self.capacity = capacity
    let isRunning = BackgroundThread.start { [self] in drain() }
    isThreaded.store(isRunning, ordering: .releasing)
  }

  /// Returns at once. Without a thread (the system refused one) it writes directly: slow, but nothing is lost.
  func enqueue(_ line: String) {
    guard isThreaded.load(ordering: .acquiring) else { return write(line) }
    let (isAccepted, isFirst) = queue.withLock { queue in
      guard queue.lines.count < capacity else { return (false, false) }
      queue.lines.append(line)
      return (true, queue.lines.count == 1)
    }
    if !isAccepted { dropped.add(1, ordering: .relaxed) }
    if isFirst { work.signal() }
  }

  /// Waits until everything queued so far is written, or for `limit`; false when time ran out.
  @discardableResult
  func flush(within limit: Duration = LogLimits.flush) -> Bool {
    guard isThreaded.load(ordering: .acquiring) else { return true }
    let done = DispatchSemaphore(value: 0)
    queue.withLock { $0.waiting.append(done) }
    work.signal()
    return done.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
  }

  private func drain() {
    var reported = 0
    while true {
      work.wait()
      let batch = queue.withLock { queue in
        defer { queue = Queue() }
        return queue
      }
      if !batch.lines.isEmpty { write(batch.lines.joined()) }
      let total = dropped.load(ordering: .relaxed)
      if total > reported {
        let line = LogLine(
          time: .now(), level: .warning, event: "log_lines_dropped", requestID: nil,
          fields: [("lines", .integer(total - reported))])
        reported = total
        write(line.rendered())
      }
      for done in batch.waiting { done.signal() }
    }
  }

  /// Blocks until written. An error loses the text: there is nowhere left to report it.
  private func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        if count > 0 {
          offset += count
        } else if errno == EAGAIN {
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return
        }
      }
    }
  }
}
