internal import KitsCore

/// Installations that could be those of an app with some years behind it. Each follows from the seed and its index
/// alone, but for its sessions, which lie before now.
struct Population: Sendable {
  let seed: UInt64
  let target: ImportTarget

  /// Push tokens of devices whose app is gone begin like this, and no others do.
  static let deadPrefix = "dead"
  private static let deadPercent = 3
  private static let day: Int64 = 86_400_000_000

  func installation(_ index: Int) -> ImportedInstallation {
    var random = SplitMix(seed: seed &+ UInt64(index) &* 0xd134_2543_de82_ef95)
    let place = Self.places.draw(&random)
    let token = Self.token(&random, isDead: random.below(100) < Self.deadPercent)
    var state = DesiredState()
    state.apnsEnvironment = .production
    state.permission = Self.permissions.draw(&random)
    state.pushPreference = random.below(100) < 94
    state.appVersion = .set(Self.version(&random))
    state.osVersion = .set(Self.systems.draw(&random))
    state.model = .set(Self.models.draw(&random))
    state.sdkVersion = .set(["1.0.0", "1.1.0", "1.2.0"][random.below(3)])
    state.language = .set(LanguageTag(trusted: place.language))
    state.timeZone = .set(place.zone)
    if random.below(100) < 5 { state.collectionEnabled = false }
    // Half have logged in; a tenth of the users has a second device.
    let user = index % 10 == 9 ? index - 8 : index
    let isBound = user % 2 == 1
    let sessions = sessions(&random)
    return ImportedInstallation(
      platform: .ios, pushToken: token, state: state,
      externalID: isBound ? ExternalID("user-\(seed)-\(user)") : nil, tags: Self.tags(&random, isBound: isBound),
      sessions: sessions)
  }

  private static func token(_ random: inout SplitMix, isDead: Bool) -> PushToken {
    var digits = (0..<4).map { _ in hex(random.next()) }.joined()
    // Every beginning but the one that means something.
    if digits.hasPrefix(deadPrefix) != isDead {
      digits = (isDead ? deadPrefix : "a11e") + digits.dropFirst(deadPrefix.count)
    }
    return PushToken(trusted: digits)
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Most devices have one of the last versions.
  private static func version(_ random: inout SplitMix) -> String {
    let minor = 39 - min(random.below(40), random.below(40))
    return "4.\(minor).\(random.below(7))"
  }

  /// Most have been here recently; some have gone years ago.
  private func sessions(_ random: inout SplitMix) -> ImportedInstallation.Sessions {
    let age = 1 + random.below(900)
    let idle = min(age, random.below(100) < 60 ? random.below(14) : random.below(400))
    let count = 1 + min(random.below(300), random.below(300)) * (age - idle + 1) / 900
    let (first, last) = (Int64(age) * Self.day, Int64(idle) * Self.day)
    let now = target.now.microseconds
    return ImportedInstallation.Sessions(
      firstAt: KitsCore.Timestamp(microseconds: now - first), lastAt: KitsCore.Timestamp(microseconds: now - last),
      count: Int64(count), foregroundSeconds: Int64(count * (20 + random.below(400))))
  }

  private static func tags(_ random: inout SplitMix, isBound: Bool) -> [ImportedInstallation.Tag] {
    var tags: [ImportedInstallation.Tag] = []
    func add(_ key: String, _ value: String) {
      if let key = TagKey(key) { tags.append(ImportedInstallation.Tag(key, value)) }
    }
    add("city", "c\(random.below(500))")
    add("plan", isBound ? plans.draw(&random) : "free")
    add("score", "\(random.below(1_000))")
    if random.below(100) < 30 { add("favourite", ["news", "sports", "music", "games"][random.below(4)]) }
    if random.below(100) < 10 { add("beta", "true") }
    return tags
  }

  private static let plans = Weighted([("free", 70), ("pro", 22), ("team", 8)])
  private static let permissions = Weighted<Permission>([
    (.authorized, 78), (.denied, 9), (.provisional, 6), (.notDetermined, 4), (.unknown, 3),
  ])
  private static let systems = Weighted([
    ("18.5", 30), ("18.1", 20), ("17.6.1", 20), ("17.2", 10), ("16.7.2", 12), ("15.8", 8),
  ])
  private static let models = Weighted([
    ("iPhone16,2", 20), ("iPhone15,3", 20), ("iPhone14,5", 25), ("iPhone12,1", 20), ("iPad14,1", 10), ("iPhone17,1", 5),
  ])
  private static let places = Weighted<(language: String, zone: String)>([
    (("en-us", "America/New_York"), 18), (("en-us", "America/Los_Angeles"), 12), (("en-gb", "Europe/London"), 10),
    (("de-de", "Europe/Berlin"), 16), (("fr-fr", "Europe/Paris"), 10), (("ja", "Asia/Tokyo"), 10),
    (("pt-br", "America/Sao_Paulo"), 7), (("es-mx", "America/Mexico_City"), 6), (("zh-hant-tw", "Asia/Taipei"), 4),
    (("en-au", "Australia/Sydney"), 3), (("hi-in", "Asia/Kolkata"), 3), (("ne-np", "Asia/Kathmandu"), 1),
  ])
}
