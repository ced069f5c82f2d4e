import Foundation

/// Clients with installations of their own, each logging a new user in as soon as its last login is answered.
struct LoginLoad {
  let stage: Stage
  private(set) var devices: [LoginRequest.Device]
  private let request: LoginRequest

  static let devicesPerClient = 64
  private static let slack = 5.0

  /// Registers the installations.
  init(stage: Stage, clients: Int) throws(BenchError) {
    self.stage = stage
    devices = try BenchDevices.register(
      clients * Self.devicesPerClient, in: .identities, stage: stage, clients: clients)
    request = LoginRequest(tokenLength: devices.first?.token.count ?? 0, port: stage.apiPort)
  }

  mutating func run(clients count: Int, seconds: Double) throws(BenchError) -> RegistrationLoad.Result {
    var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
    let loop = try ClosedLoop(count, request.bytes, port: stage.apiPort)
    let (request, own) = (request, Self.devicesPerClient)
    var places: [ObjectIdentifier: (first: Int, turn: Int)] = [:]
    for (index, client) in loop.clients.enumerated() { places[ObjectIdentifier(client)] = (index * own, 0) }
    var devices = devices
    var result = RegistrationLoad.Result()
    let end = Moment.monotonic + UInt64(seconds * 1e9)
    try loop.run(
      patience: seconds + Self.slack,
      next: { client, _ throws(BenchError) in
        guard Moment.monotonic < end, let place = places[ObjectIdentifier(client)] else { return false }
        let device = devices[place.first + place.turn]
        guard client.send({ request.renew($0, device, &random) }) else { throw BenchError("a client was not let in") }
        return true
      },
      answered: { client, status throws(BenchError) in
        let now = Moment.monotonic
        guard status == 200, let place = places[ObjectIdentifier(client)], let binding = Self.binding(client.body)
        else {
          throw BenchError("a login was answered \(client.text)")
        }
        devices[place.first + place.turn].binding = binding
        devices[place.first + place.turn].logins += 1
        places[ObjectIdentifier(client)] = (place.first, (place.turn + 1) % own)
        guard now < end else { return }
        result.count += 1
        result.latencies.append(UInt32(clamping: (now - client.sentAt) / 1_000))
      })
    self.devices = devices
    result.seconds = seconds
    return result
  }

  /// The id in `"binding":{"id":"…"`: parsing the whole answer would cost what is measured.
  private static func binding(_ body: [UInt8]) -> [UInt8]? {
    let mark = Array(#""binding":{"id":""#.utf8)
    guard body.count > mark.count + 36,
      let start = (0..<body.count - mark.count - 36).first(where: { body[$0..<$0 + mark.count].elementsEqual(mark) })
    else { return nil }
    return Array(body[start + mark.count..<start + mark.count + 36])
  }

  /// Every login made one binding, and nothing else did.
  func check() throws(BenchError) {
    let made = devices.reduce(0) { $0 + $1.logins }
    let app = try stage.keys(.identities).number
    let counted = try stage.database.number(
      """
      SELECT coalesce(sum(binding_number - 1), 0) FROM installation
      WHERE app_no = \(app) AND installation_no < \(LoginScript.firstNumber)
      """)
    guard counted == made else { throw BenchError("\(made) logins were answered and \(counted) bindings made") }
  }
}
