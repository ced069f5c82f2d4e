import Crypto
import KitsAPI
import KitsIdentity

/// Identity tokens from their text to their verdict, on one thread: the splitting, the Base64, the JSON, the claims and
/// the signature. Against `openssl speed`, which verifies bare signatures of one hash with a context that it keeps.
/// Both count the seconds that they compute, so that other work on the machine is of no matter.
struct VerifyMeasurement {
  let options: BenchOptions

  private static let appID = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  private static let tokens = 1_000
  private static let seconds = 2

  func run() throws(BenchError) -> [Figure] {
    let (tokens, key) = try Self.prepare()
    var verified: [Double] = []
    var bare: [Double] = []
    for number in 1...options.rounds {
      Progress.say("verify, round \(number)")
      verified.append(try Self.rate(tokens, key))
      bare.append(try Self.opensslRate())
    }
    return [
      Figure(
        "identity tokens verified, one thread", Percentiles(verified)[0.5], "/s", against: Percentiles(bare)[0.5],
        "openssl speed ecdsap256", target: .atLeast(0.7),
        note: "\(Self.tokens) tokens in turn, \(Self.seconds) s each, median of \(options.rounds) rounds")
    ]
  }

  private static func prepare() throws(BenchError) -> (tokens: [String], key: P256PublicKey) {
    do {
      let pair = generateIdentityKeyPair()
      let signer = try createIdentityTokenSigner(
        appID: appID, keyID: "bench", privateKeyPEM: pair.privateKeyPEM, ttlSeconds: 3_600)
      let tokens = try (0..<tokens).map { try signer.sign(externalID: "user-\($0)").token }
      return (tokens, try P256PublicKey(spkiPEM: pair.publicKeyPEM))
    } catch {
      throw BenchError("identity tokens: \(error)")
    }
  }

  private static func rate(_ tokens: [String], _ key: P256PublicKey) throws(BenchError) -> Double {
    let now = Moment.wallMicroseconds / 1_000_000
    let end = Moment.monotonic + UInt64(seconds) * 1_000_000_000
    let start = Moment.computed
    var count = 0
    while Moment.monotonic < end {
      for token in tokens {
        do { _ = try IdentityToken.parse(token).verify(key: key, appID: appID, now: now) } catch {
          throw BenchError("a token was refused: \(error.rawValue)")
        }
      }
      count += tokens.count
    }
    return Double(count) * 1e9 / Double(Moment.computed - start)
  }

  /// The last column of the line "256 bits ecdsa (nistp256)".
  private static func opensslRate() throws(BenchError) -> Double {
    // What it says meanwhile is no result.
    let command = "exec openssl speed -seconds \(seconds) ecdsap256 2>/dev/null"
    let text = try Child.output(of: ["sh", "-c", command])
    for line in text.split(separator: "\n") where line.contains("ecdsa (nistp256)") {
      if let rate = line.split(separator: " ").last.flatMap({ Double($0) }), rate > 0 { return rate }
    }
    throw BenchError("openssl speed printed no rate: \(text)")
  }
}
