import Foundation
import JSON

/// Clients with installations of their own, each reporting a new session as soon as its last report is answered.
struct SessionLoad {
  let stage: Stage
  private let devices: [LoginRequest.Device]
  private let request: SessionRequest
  /// Sessions of each device so far.
  private var counts: [Int]

  static let devicesPerClient = 64
  private static let slack = 5.0

  /// Registers the installations.
  init(stage: Stage, clients: Int) throws(BenchError) {
    self.stage = stage
    devices = try BenchDevices.register(
      clients * Self.devicesPerClient, in: .sessions, stage: stage, clients: clients)
    counts = [Int](repeating: 0, count: devices.count)
    let now = RFC3339.format(Int64(Date().timeIntervalSince1970) * 1_000_000)
    request = SessionRequest(tokenLength: devices.first?.token.count ?? 0, port: stage.apiPort, startedAt: now)
  }

  mutating func run(clients count: Int, seconds: Double) throws(BenchError) -> RegistrationLoad.Result {
    var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
    let loop = try ClosedLoop(count, request.bytes, port: stage.apiPort)
    let (request, own, devices) = (request, Self.devicesPerClient, devices)
    var places: [ObjectIdentifier: (first: Int, turn: Int)] = [:]
    for (index, client) in loop.clients.enumerated() { places[ObjectIdentifier(client)] = (index * own, 0) }
    var counts = counts
    var result = RegistrationLoad.Result()
    let end = Moment.monotonic + UInt64(seconds * 1e9)
    try loop.run(
      patience: seconds + Self.slack,
      next: { client, _ throws(BenchError) in
        guard Moment.monotonic < end, let place = places[ObjectIdentifier(client)] else { return false }
        let index = place.first + place.turn
        guard client.send({ request.renew($0, devices[index], number: counts[index] + 1, &random) }) else {
          throw BenchError("a client was not let in")
        }
        return true
      },
      answered: { client, status throws(BenchError) in
        let now = Moment.monotonic
        guard status == 200, let place = places[ObjectIdentifier(client)] else {
          throw BenchError("a session was answered \(client.text)")
        }
        counts[place.first + place.turn] += 1
        places[ObjectIdentifier(client)] = (place.first, (place.turn + 1) % own)
        guard now < end else { return }
        result.count += 1
        result.latencies.append(UInt32(clamping: (now - client.sentAt) / 1_000))
      })
    self.counts = counts
    result.seconds = seconds
    return result
  }

  /// Every report made one session, and nothing else did.
  func check() throws(BenchError) {
    let made = counts.reduce(0, +)
    let counted = try stage.database.number(
      """
      SELECT coalesce(sum(session_count), 0) FROM installation
      WHERE app_no = \(stage.keys(.sessions).number) AND installation_no < \(LoginScript.firstNumber)
      """)
    guard counted == made else { throw BenchError("\(made) sessions were answered and \(counted) counted") }
  }
}
