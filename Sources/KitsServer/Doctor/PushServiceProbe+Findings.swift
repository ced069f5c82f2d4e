internal import APNs
internal import KitsCore
internal import KitsStore

extension PushServiceProbe.Answer {
  /// What the answer means for an app in an environment, and what to do about it.
  func finding(
    app: String, environment: APNsEnvironment, isForOneEnvironment: Bool, key: SealedAPNsKey
  ) -> Finding {
    let check = "apns.\(environment.name)"
    switch self {
    case .accepted:
      return .note(
        check, "\(app): the address accepts an all-zero device token",
        why: "Apple's APNs would not: this is a simulator, and says nothing about the key.")
    case .unreachable(let problem):
      return .problem(
        check, "\(app): no answer of APNs: \(problem)", why: "Nothing can be sent.",
        todo: "Open port 443 to APNs in the firewall, and look at KITS_APNS_\(environment.name.uppercased())_URL,"
          + " KITS_APNS_CA and KITS_APNS_PINS.")
    case .rejected(_, .badDeviceToken, _):
      return .fine(check, "\(app): APNs takes the key \(key.keyID) of team \(key.teamID) and the topic")
    case .rejected(_, let reason, _) where isOtherEnvironment && isForOneEnvironment:
      return .note(
        check, "\(app): APNs says \(reason): the key is for the other environment only",
        why: "Installations that report this environment get nothing, which is in order when there are none.")
    case .rejected(let status, let reason, _):
      let (why, todo) = Self.explain(status, reason, key)
      return .problem(check, "\(app): APNs says \(status) \(reason)", why: why, todo: todo)
    }
  }

  private static func explain(_ status: Int, _ reason: APNsReason, _ key: SealedAPNsKey) -> (why: String, todo: String)
  {
    let waits = "Its pushes in this environment wait until they expire."
    switch reason {
    case .invalidProviderToken, .missingProviderToken:
      return (
        "The key was revoked at Apple, or \(key.keyID) and \(key.teamID) are not its key id and team id. \(waits)",
        "Compare both with Apple's developer account (Certificates, Identifiers & Profiles, Keys)."
      )
    case .topicDisallowed, .badTopic, .missingTopic, .deviceTokenNotForTopic:
      return (
        "The bundle id belongs to another team, has no push capability, or the key isn't for this topic. \(waits)",
        "Compare the bundle id with Apple's account; a topic-specific key has a list of its topics there."
      )
    case .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
      return (
        "The key is for neither of the two environments that were asked. \(waits)",
        "Look at the key's environment in Apple's account, and at KITS_APNS_PRODUCTION_URL and KITS_APNS_SANDBOX_URL."
      )
    case .expiredProviderToken:
      return (
        "The clock of the database is an hour or more off. \(waits)",
        "Let the database's host set its clock by NTP (`timedatectl set-ntp true`)."
      )
    case .tooManyProviderTokenUpdates:
      return ("APNs has seen too many new provider tokens of this key.", "Wait 20 minutes and run this again.")
    case .forbidden, .badCertificate, .badCertificateEnvironment, .unrelatedKeyIDInToken:
      return ("APNs refuses the credential. \(waits)", "Create a new key at Apple and give it to the app.")
    default:
      return explain(status)
    }
  }

  private static func explain(_ status: Int) -> (why: String, todo: String) {
    if status == 429 || status >= 500 {
      return ("APNs is busy or down; pushes are tried again by themselves.", "Run this again later.")
    }
    return (
      "This is no answer that APNs gives to such a request.",
      "Make sure that no proxy stands between this host and APNs, and that the URLs are Apple's."
    )
  }
}
