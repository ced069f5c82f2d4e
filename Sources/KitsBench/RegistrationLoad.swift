import Foundation

/// Keeps a number of clients registering for a while.
struct RegistrationLoad {
  struct Result {
    var count = 0
    var seconds = 0.0
    /// Of each request, in microseconds.
    var latencies: [UInt32] = []

    static func += (sum: inout Result, more: Result) {
      sum.count += more.count
      sum.seconds += more.seconds
      sum.latencies += more.latencies
    }
  }

  let template: RegistrationRequest
  let port: Int
  private static let slack = 5.0

  func run(clients count: Int, seconds: Double) throws(BenchError) -> Result {
    var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
    let loop = try ClosedLoop(count, template.bytes, port: port)
    var result = Result()
    result.latencies.reserveCapacity(Int(seconds * 40_000))
    let end = Moment.monotonic + UInt64(seconds * 1e9)
    try loop.run(
      patience: seconds + Self.slack,
      next: { client, _ throws(BenchError) in
        guard Moment.monotonic < end else { return false }
        guard client.send({ template.renew($0, &random) }) else { throw BenchError("a client was not let in") }
        return true
      },
      answered: { client, status throws(BenchError) in
        guard status == 201 else { throw BenchError("a registration was answered \(client.text)") }
        let now = Moment.monotonic
        guard now < end else { return }
        result.count += 1
        result.latencies.append(UInt32(clamping: (now - client.sentAt) / 1_000))
      })
    result.seconds = seconds
    return result
  }
}
