internal import CCurl

/// Easy handles between two requests, each with its open connections, so that one address is not greeted anew for every
/// request. Kept by origin; the oldest goes when there are too many.
package final class IdleHandles: Sendable {
  private let limit: Int
  private let idle = Locked<[Entry]>([])

  /// `@unchecked Sendable`: a handle belongs to no thread, and whoever takes it out is the only one who has it.
  struct Entry: @unchecked Sendable {
    let origin: String
    let handle: UnsafeMutableRawPointer
  }

  package init(limit: Int) {
    self.limit = limit
  }

  deinit {
    for entry in idle.withLock({ $0 }) { curl_easy_cleanup(entry.handle) }
  }

  /// One that has been to this origin; nil when there is none.
  func take(_ origin: String) -> UnsafeMutableRawPointer? {
    idle.withLock { idle in
      guard let index = idle.lastIndex(where: { $0.origin == origin }) else { return nil }
      return idle.remove(at: index).handle
    }
  }

  func keep(_ handle: UnsafeMutableRawPointer, for origin: String) {
    // Options go, connections stay.
    curl_easy_reset(handle)
    let entry = Entry(origin: origin, handle: handle)
    let surplus = idle.withLock { idle -> Entry? in
      idle.append(entry)
      return idle.count > limit ? idle.removeFirst() : nil
    }
    if let surplus { curl_easy_cleanup(surplus.handle) }
  }
}
