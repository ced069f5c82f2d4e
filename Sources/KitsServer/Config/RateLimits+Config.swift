internal import KitsAPI

extension RateLimits {
  static func read(_ reader: inout ConfigReader) -> RateLimits {
    let defaults = ConfigDefaults.rates
    return RateLimits(
      serverKey: limit(.rateServerKey, &reader, default: defaults.serverKey),
      installation: limit(.rateInstallation, &reader, default: defaults.installation),
      publicKey: limit(.ratePublicKey, &reader, default: defaults.publicKey),
      events: limit(.rateEvents, &reader, default: defaults.events))
  }

  /// `20:60`, or `off`.
  static func text(_ limit: RateLimit?) -> String { limit.map { "\($0.perSecond):\($0.burst)" } ?? "off" }

  private static func limit(
    _ variable: Variable, _ reader: inout ConfigReader, default fallback: RateLimit?
  ) -> RateLimit? {
    let parsed = reader.optional(variable) { (text) throws(Malformed) -> RateLimit? in
      text == "off" ? nil : try parse(text)
    }
    return parsed ?? fallback
  }

  private static func parse(_ text: String) throws(Malformed) -> RateLimit {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
      throw Malformed("must be off or two whole numbers with a colon between")
    }
    guard let perSecond = Int(parts[0]), ConfigLimits.requestsPerSecond.contains(perSecond) else {
      throw Malformed("must have \(ConfigLimits.requestsPerSecond.words) requests a second")
    }
    guard let burst = Int(parts[1]), ConfigLimits.requestBurst.contains(burst) else {
      throw Malformed("must have \(ConfigLimits.requestBurst.words) requests at once")
    }
    return RateLimit(perSecond: perSecond, burst: burst)
  }
}
