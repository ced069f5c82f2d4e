import Foundation
import JSON

/// Creates messages to one device each: as fast as a number of clients get their answers, or at a pace.
struct SinglesLoad {
  let stage: Stage
  let devices: [(id: String, token: String)]
  let clients: Int
  /// Messages a second, nil for as many as there can be.
  let pace: Int?

  /// One message. Times are microseconds of the wall clock. At a pace, one that had to wait for a client to be free
  /// counts from when it should have been sent.
  struct Sent {
    let token: String
    let at: Int64
    var answeredAt: Int64 = 0
    var messageID = ""
  }

  private static let patience = 120.0

  func run() throws(BenchError) -> [Sent] {
    let request = MessageRequest(stage, try stage.keys(.noted))
    let loop = try ClosedLoop(clients, request.bytes, port: stage.apiPort)
    var sent: [Sent] = []
    sent.reserveCapacity(devices.count)
    var bodies = [[UInt8]](repeating: [], count: devices.count)
    var current: [ObjectIdentifier: Int] = [:]
    try loop.run(
      patience: Self.patience, interval: pace.map { 1_000_000_000 / UInt64($0) } ?? 0,
      next: { client, late throws(BenchError) in
        guard sent.count < devices.count else { return false }
        let device = devices[sent.count]
        current[ObjectIdentifier(client)] = sent.count
        sent.append(Sent(token: device.token, at: Moment.wallMicroseconds - Int64(late / 1_000)))
        guard client.send({ request.renew($0, device: device.id) }) else {
          throw BenchError("a client was not let in")
        }
        return true
      },
      answered: { client, status throws(BenchError) in
        guard status == 201, let index = current[ObjectIdentifier(client)] else {
          throw BenchError("a message was answered \(client.text)")
        }
        sent[index].answeredAt = Moment.wallMicroseconds
        bodies[index] = client.body
      })
    for (index, body) in bodies.enumerated() {
      guard let id = (try? JSON.parse(body))?.object?["id"]?.string else { throw BenchError("a message without id") }
      sent[index].messageID = id
    }
    return sent
  }
}
