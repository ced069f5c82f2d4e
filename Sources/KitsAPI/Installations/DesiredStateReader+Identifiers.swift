internal import Crypto
internal import JSON
internal import KitsCore

extension DesiredStateReader {
  /// What came of one source.
  struct GivenIdentifier: Equatable, Sendable {
    let report: IdentifierReport
    /// The value itself came, and only its hash goes on.
    let wasRaw: Bool
  }

  /// Members merge one by one. Whether the environment takes them is decided where its policy is read.
  func readIdentifiers(_ state: inout DesiredState) {
    switch object.objectField("identifiers") {
    case .absent: break
    case .null: state.identifiers = isPatch ? .cleared : .unchanged
    case .value(let sources):
      let reader = DesiredStateReader(object: sources, isPatch: isPatch, platform: platform)
      var changes: [IdentifierSource: Change<IdentifierReport>] = [:]
      for source in IdentifierSource.allCases {
        switch reader.change(sources.field(source.rawValue) { $0.object().flatMap(Self.given) }) {
        case .unchanged: break
        case .cleared: changes[source] = .cleared
        case .set(let given):
          changes[source] = .set(given.report)
          if given.wasRaw { state.rawIdentifiers.insert(source) }
        }
      }
      state.identifiers = .set(changes)
      refuseAdvertisingID(of: state, in: sources)
    }
  }

  /// Nothing that names a child to advertisers is taken together with the statement that it is one (T6). What is known
  /// from before is removed.
  private func refuseAdvertisingID(of state: DesiredState, in sources: ObjectReader) {
    guard state.coppa == true, case .set(let changes) = state.identifiers, case .set(let report)? = changes[.idfa],
      report.available
    else { return }
    sources.refuse(IdentifierSource.idfa.rawValue, .conflict, "No advertising identifier is taken with coppa.")
  }

  /// A source is replaced as a whole, so null inside of it is the same as leaving the member out.
  private static func given(_ object: ObjectReader) -> GivenIdentifier? {
    let available = object.requiredBool("available")
    let limited = object.bool("limited", nullIsAbsent: true) ?? false
    let message = object.string(
      "message", bytes: Limits.identifierMessageBytes, refuseControls: true, nullIsAbsent: true)
    let value = object.string(
      "value", bytes: Limits.identifierValueBytes, refuseControls: true, nullIsAbsent: true)
    let sentHash = object.member("hash").flatMap { $0.isNull ? nil : digest($0) }
    guard let available else { return nil }
    let hasHash = object.value("hash").map { !$0.isNull } ?? false
    let hasValue = object.value("value").map { !$0.isNull } ?? false
    if hasValue, hasHash {
      object.refuse("value", .conflict, "The hash or the value, not both.")
      return nil
    }
    if available, !hasHash, !hasValue {
      object.refuse("hash", .missing, "It is required when the identifier is available.")
      return nil
    }
    if !available, hasHash || hasValue {
      object.refuse(hasHash ? "hash" : "value", .conflict, "There is none of what is not available.")
      return nil
    }
    let hash = sentHash ?? value.map { Hex.encode(SHA256.hash(Array($0.utf8))) }
    let report = IdentifierReport(available: available, limited: limited, hash: hash, message: message)
    return GivenIdentifier(report: report.normalized, wasRaw: hasValue)
  }

  private static func digest(_ member: ElementReader) -> String? {
    let digits = Limits.identifierHashDigits
    guard let text = member.string(bytes: 0...digits) else { return nil }
    guard text.utf8.count == digits, Hex.decode(text, case: .any) != nil else {
      return member.refuse(.badFormat, "It must be the \(digits) hexadecimal digits of a SHA-256.")
    }
    return text.lowercased()
  }
}

extension Problem {
  /// Fields of the identifiers of a state that its environment doesn't take.
  init(_ refusal: IdentifierRefusal, of state: DesiredState) {
    let fields: [KitsError.FieldFault] =
      switch refusal {
      case .idfa(let policy):
        [
          KitsError.FieldFault(
            .pointer("/identifiers/idfa"), .notAllowed,
            policy == .strict
              ? "The identifier policy strict forbids the idfa: it must not even be read."
              : "The identifier policy \(policy.name) takes no idfa.")
        ]
      case .raw:
        IdentifierSource.allCases.filter(state.rawIdentifiers.contains).map { source in
          KitsError.FieldFault(
            .pointer("/identifiers/\(source.rawValue)/value"), .notAllowed,
            "Only the hash of an identifier is taken in this environment.")
        }
      }
    let count = fields.count
    self.init(.bodyInvalid, count == 1 ? "1 field is invalid." : "\(count) fields are invalid.", fields: fields)
  }
}
