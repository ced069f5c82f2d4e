/// What is kept about whom a message was for.
package struct TargetFacts: Sendable {
  package let isPlanned: Bool
  /// Its chunks were dropped for their age: who was a member isn't known any more.
  package let isForgotten: Bool
  package let isVerifiedOnly: Bool
  /// It names installations or users. Of a short list only the members are kept.
  package let isForNamed: Bool
  package let isNamed: Bool?
  package let isForTestDevices: Bool
  package let isTestDevice: Bool
  package let isRegisteredInTime: Bool
  /// What it was planned with, and the moment that ages in it count from.
  package let audience: (filter: Filter, fixedAt: Timestamp?)?

  package init(
    isPlanned: Bool, isForgotten: Bool, isVerifiedOnly: Bool, isForNamed: Bool, isNamed: Bool?, isForTestDevices: Bool,
    isTestDevice: Bool, isRegisteredInTime: Bool, audience: (filter: Filter, fixedAt: Timestamp?)?
  ) {
    self.isPlanned = isPlanned
    self.isForgotten = isForgotten
    self.isVerifiedOnly = isVerifiedOnly
    self.isForNamed = isForNamed
    self.isNamed = isNamed
    self.isForTestDevices = isForTestDevices
    self.isTestDevice = isTestDevice
    self.isRegisteredInTime = isRegisteredInTime
    self.audience = audience
  }

  /// All that this message asked for, in the order in which it is asked.
  ///
  /// - Parameter answers: of the conditions of the audience.
  package func checks(of installation: Installation, answers: [Bool]) -> [TargetCheck] {
    var checks = [TargetCheck(.app, true), TargetCheck(.registered, isRegisteredInTime)]
    if isForNamed { checks.append(TargetCheck(.named, isNamed)) }
    if isForTestDevices { checks.append(TargetCheck(.testDevice, isTestDevice)) }
    if let audience {
      let clauses = audience.filter.clausesAgainst(answers)
      checks.append(TargetCheck(.audience, clauses.isEmpty, clauses: clauses))
    }
    if isVerifiedOnly { checks.append(TargetCheck(.verified, installation.binding.verified)) }
    let hasToken = installation.token.text != nil && installation.token.state == .active && installation.ownsToken
    return checks + [
      TargetCheck(.platform, installation.platform == .ios), TargetCheck(.token, hasToken),
      TargetCheck(.permission, installation.permission.allowsPush),
      TargetCheck(.pushPreference, installation.pushPreference),
    ]
  }
}
