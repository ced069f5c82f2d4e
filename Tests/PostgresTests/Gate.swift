/// Holds whoever waits at it until it is opened, and tells when somebody has arrived.
actor Gate {
  private var isOpen = false
  private var arrived = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var watching: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []

  func wait() async {
    arrived += 1
    for watcher in watching where watcher.count <= arrived { watcher.resume.resume() }
    watching.removeAll { $0.count <= arrived }
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func entered(_ count: Int = 1) async {
    if arrived >= count { return }
    await withCheckedContinuation { watching.append((count, $0)) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
