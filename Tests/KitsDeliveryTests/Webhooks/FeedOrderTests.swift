import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("The feed is complete and in order whoever commits when")
struct FeedOrderTests {
  @Test("What is committed late comes late: a reader that was there before still gets it")
  func late() async throws {
    try await World.with(installations: 0) { world in
      let (first, _) = try await world.send()
      let (second, _) = try await world.send()
      _ = try await world.feed()
      try await world.pool.transaction { transaction in
        // Writes its event now and commits after the other one.
        _ = try await transaction.run(CancelMessage(environment: world.app.environment, id: first))
        _ = try await world.messages.cancel(
          environment: world.app.environment, id: second, deadline: .now + .seconds(20))
        let seen = try await world.feed()
        #expect(seen.count == 3 && seen.last?.type == .messageCanceled)
        #expect(seen.last.map { String(decoding: $0.data, as: UTF8.self).contains(second.text) } == true)
      }
      let all = try await world.feed()
      #expect(all.map(\.number) == [1, 2, 3, 4])
      #expect(all.last.map { String(decoding: $0.data, as: UTF8.self).contains(first.text) } == true)
    }
  }

  @Test("Many writers and many that number: each event once, no number twice, each message in order")
  func storm() async throws {
    try await World.with(installations: 0) { world in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          group.addTask {
            for _ in 0..<10 {
              let (id, _) = try await world.send()
              _ = try await world.messages.cancel(
                environment: world.app.environment, id: id, deadline: .now + .seconds(20))
            }
          }
        }
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<60 { _ = try await world.sender().numberEvents(limit: 7) }
          }
        }
        try await group.waitForAll()
      }
      let feed = try await world.feed()
      #expect(feed.count == 120 && Set(feed.map(\.number)).count == 120 && Set(feed.map(\.id)).count == 120)
      let subjects = try await world.pool.texts("SELECT subject::text FROM outbox_event ORDER BY feed_no")
      let places = Dictionary(grouping: zip(subjects, feed.map(\.type)), by: \.0).mapValues { $0.map(\.1) }
      #expect(places.count == 60)
      #expect(places.values.allSatisfy { $0 == [.messageCreated, .messageCanceled] })
    }
  }
}
