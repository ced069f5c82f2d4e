/// The requests of a pool that wait for a connection: small batches first, then bulk, each lane in order.
struct PoolQueue {
  private var urgent = Lane()
  private var bulk = Lane()

  var count: Int { urgent.count + bulk.count }
  var urgentCount: Int { urgent.count }

  mutating func append(_ batch: Batch, urgent isUrgent: Bool) {
    isUrgent ? urgent.append(batch) : bulk.append(batch)
  }

  /// Requests that came back from a connection go ahead of what hasn't been tried.
  mutating func putBack(_ works: [Work], urgentBatchLimit: Int) {
    for work in works {
      work.batch.count <= urgentBatchLimit ? urgent.putBack(work) : bulk.putBack(work)
    }
  }

  /// Takes up to `urgentRoom` small ones, then bulk as far as `room` reaches.
  mutating func take(room: Int, urgentRoom: Int, into works: inout [Work]) {
    let before = works.count
    urgent.take(urgentRoom, into: &works)
    bulk.take(room - (works.count - before), into: &works)
  }

  /// Removes everything.
  mutating func takeAll() -> [Work] {
    var works: [Work] = []
    take(room: .max, urgentRoom: .max, into: &works)
    return works
  }

  /// Removes what can't be sent any more.
  mutating func takeExpired(monotonic: UInt64, boot: UInt64) -> [Work] {
    urgent.takeExpired(monotonic, boot) + bulk.takeExpired(monotonic, boot)
  }
}

/// One lane: batches in order, each from its next untried request, and single requests that came back.
private struct Lane {
  private struct Entry {
    let batch: Batch
    var next: Int
  }

  private var returned: [Work] = []
  private var entries: [Entry] = []
  private var head = 0
  private(set) var count = 0

  mutating func append(_ batch: Batch) {
    entries.append(Entry(batch: batch, next: 0))
    count += batch.count
  }

  mutating func putBack(_ work: Work) {
    returned.append(work)
    count += 1
  }

  mutating func take(_ limit: Int, into works: inout [Work]) {
    var left = min(limit, count)
    guard left > 0 else { return }
    count -= left
    let back = min(left, returned.count)
    works += returned.prefix(back)
    returned.removeFirst(back)
    left -= back
    while left > 0 {
      let entry = entries[head]
      let some = min(left, entry.batch.count - entry.next)
      for index in entry.next..<(entry.next + some) { works.append(Work(batch: entry.batch, index: index)) }
      left -= some
      entries[head].next += some
      if entries[head].next == entry.batch.count { head += 1 }
    }
    compact()
  }

  mutating func takeExpired(_ monotonic: UInt64, _ boot: UInt64) -> [Work] {
    func isExpired(_ batch: Batch) -> Bool { batch.endsAt <= monotonic || batch.handOverBefore <= boot }
    var expired = returned.filter { isExpired($0.batch) }
    returned.removeAll { isExpired($0.batch) }
    for entry in entries[head...] where isExpired(entry.batch) {
      expired += (entry.next..<entry.batch.count).map { Work(batch: entry.batch, index: $0) }
    }
    entries = entries[head...].filter { !isExpired($0.batch) }
    head = 0
    count -= expired.count
    return expired
  }

  private mutating func compact() {
    guard head == entries.count || (head > 64 && head * 2 > entries.count) else { return }
    entries.removeFirst(head)
    head = 0
  }
}
