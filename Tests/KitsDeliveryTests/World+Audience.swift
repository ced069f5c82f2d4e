import Foundation
import KitsCore
import KitsStore
import Postgres

/// Audiences of a world.
extension World {
  /// Every member has a tag `n` with its place, and `half` is `a` or `b`.
  func tag() async throws {
    try await pool.script(
      """
      UPDATE installation i
      SET tags = jsonb_build_object('n', x.place::text, 'half', CASE WHEN x.place % 2 = 0 THEN 'a' ELSE 'b' END)
      FROM (SELECT installation_no, row_number() OVER (ORDER BY installation_no) - 1 AS place FROM installation) x
      WHERE x.installation_no = i.installation_no
      """)
  }

  func segment(_ filter: Filter, includesAnonymous: Bool = true) async throws -> SegmentID {
    let id = SegmentID(UUID())
    let segment = NewSegment(
      id: id, app: app.number, createdBy: ServerKeyID(UUID()),
      definition: SegmentDefinition(name: "s", filter: filter, includesAnonymous: includesAnonymous), idempotency: nil)
    let answer = try await SegmentStore(pool: pool).create(
      segment, call: .commandLine(.segmentCreated), deadline: .now + .seconds(20))
    guard case .created = answer else { throw Surprise("\(answer)") }
    return id
  }

  func replace(_ id: SegmentID, by filter: Filter) async throws {
    let answer = try await SegmentStore(pool: pool).replace(
      environment: app.environment, id: id, revision: 1,
      by: SegmentDefinition(name: "s", filter: filter, includesAnonymous: true), call: .commandLine(.segmentChanged),
      deadline: .now + .seconds(20))
    guard answer?.isReplaced == true else { throw Surprise("not replaced") }
  }

  func delete(_ id: SegmentID, isForced: Bool) async throws -> Bool? {
    try await SegmentStore(pool: pool).delete(
      environment: app.environment, id: id, isForced: isForced, call: .commandLine(.segmentDeleted),
      deadline: .now + .seconds(20))
  }

  /// As the API answers it.
  func preview(_ filter: Filter) async throws -> (count: Int64, digest: AudienceDigest) {
    let preview = try await SegmentStore(pool: pool).preview(
      app: app.number, audience: filter, deadline: .now + .seconds(20))
    guard case .exact(let digest) = preview.method else { throw Surprise("estimated") }
    return (preview.count().sendable, digest)
  }

  /// The places of those planned, in the order of their chunks.
  func planned(_ open: OpenMessage) async throws -> [Int] {
    let numbers = try await pool.texts(
      """
      SELECT u.no::text
      FROM message_chunk k CROSS JOIN unnest(k.members) WITH ORDINALITY AS u (no, n)
      WHERE k.message_no = \(open.message.value)
      ORDER BY k.chunk_no, u.n
      """)
    let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { (String($1.number.value), $0) })
    return numbers.compactMap { places[$0] }
  }

  func cancel(_ id: MessageID) async throws -> MessageState? {
    try await messages.cancel(environment: app.environment, id: id, deadline: .now + .seconds(20))
  }
}

extension Filter {
  static func half(_ name: String) -> Filter { .condition(.tag(key: "half", .one(name))) }
  static let ios = Filter.condition(.platform(.one(.ios)))
}
