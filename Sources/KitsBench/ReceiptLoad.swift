import Crypto

/// Extensions that each tell their delivery once, as soon as the last one was answered.
struct ReceiptLoad {
  let stage: Stage
  private let request: ReceiptRequest
  private let app: Int
  private let firstMessage: Int
  /// Deliveries told so far: each is another one.
  private(set) var told = 0
  private var messages = 1

  private static let slack = 5.0

  init(stage: Stage, app: Int, firstMessage: Int) throws(BenchError) {
    self.stage = stage
    self.app = app
    self.firstMessage = firstMessage
    request = ReceiptRequest(ring: try stage.ring(), port: stage.apiPort)
  }

  /// Goes on with messages that nobody has told of yet.
  mutating func spread(over messages: Int) {
    self.messages = messages
    told = 0
  }

  /// - Parameter place: of the first message, from the first of all.
  mutating func run(clients count: Int, seconds: Double, from place: Int) throws(BenchError) -> RegistrationLoad.Result
  {
    let loop = try ClosedLoop(count, request.bytes, port: stage.apiPort)
    var result = RegistrationLoad.Result()
    var (next, answered) = (told, 0)
    let end = Moment.monotonic + UInt64(seconds * 1e9)
    try loop.run(
      patience: seconds + Self.slack,
      next: { client, _ throws(BenchError) in
        guard Moment.monotonic < end else { return false }
        let delivery = self.delivery(next, from: place)
        next += 1
        guard client.send({ request.renew($0, delivery) }) else { throw BenchError("a client was not let in") }
        return true
      },
      answered: { client, status throws(BenchError) in
        let now = Moment.monotonic
        guard status == 200, client.text.hasSuffix(#"{"result":"recorded"}"#) else {
          throw BenchError("a receipt was answered \(client.text)")
        }
        answered += 1
        guard now < end else { return }
        result.count += 1
        result.latencies.append(UInt32(clamping: (now - client.sentAt) / 1_000))
      })
    guard answered == next - told else { throw BenchError("\(next - told) receipts were sent, \(answered) answered") }
    told = next
    result.seconds = seconds
    return result
  }

  /// Each once: messages in turn, and with each round the next device, far from the last one.
  private func delivery(_ number: Int, from place: Int) -> ReceiptRequest.Delivery {
    let (round, message) = (number / messages, number % messages)
    let device = round * 7_919 % ReceiptScript.installations
    let wrap = round / ReceiptScript.installations
    return ReceiptRequest.Delivery(
      app: app, message: firstMessage + place + message + wrap * messages,
      installation: ReceiptScript.firstNumber + (device + message * 104_729) % ReceiptScript.installations)
  }
}
