@testable import HTTPServer

/// What the server told its observer, with a way to wait for something that hasn't happened yet.
final class EventLog: Sendable {
  private let events = Guarded<[HTTPServerEvent]>([])

  func append(_ event: HTTPServerEvent) {
    events.withLock { $0.append(event) }
    events.signal()
  }

  /// Blocks until an event satisfies the condition; false after 20 s.
  func wait(_ isWanted: (HTTPServerEvent) -> Bool) -> Bool {
    events.wait(until: .now + .seconds(20)) { $0.contains(where: isWanted) }
  }

  var all: [HTTPServerEvent] { events.withLock { $0 } }

  var answered: [AnsweredRequest] {
    all.compactMap { if case .answered(let request) = $0 { request } else { nil } }
  }

  func waitForDeadline(_ wanted: Deadline) -> Bool {
    wait { if case .deadlinePassed(let deadline, _) = $0 { deadline == wanted } else { false } }
  }

  func waitForAnswered(_ count: Int) -> Bool {
    events.wait(until: .now + .seconds(20)) { events in
      events.count { if case .answered = $0 { true } else { false } } >= count
    }
  }
}
