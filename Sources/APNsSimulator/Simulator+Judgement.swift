/// The way of one request through validation, script and ledger.
extension Simulator {
  func judge(
    _ request: PushRequest, messageID: String, from origin: RequestOrigin, at microseconds: Int64,
    credential: inout ConnectionCredential, reader: ProviderTokenReader
  ) -> Directive {
    let (keys, rules) = update { ($0.keys, $0.laboratory.script.validation) }
    let validator = Validator(rules: rules, keys: keys, now: microseconds / 1_000_000)
    let tokensBefore = credential.tokensUsed
    let rejection = validator.reject(request, credential: &credential, reader: reader)
    let (tokensUsed, newestToken) = (credential.tokensUsed, credential.newestToken)
    return update { state in
      if tokensUsed > tokensBefore { state.tokenTaken(newestToken, ofConnection: tokensUsed) }
      if let rejection {
        let latency = state.laboratory.script.latencyMilliseconds
        return Self.finish(
          .none, .rejected(rejection.reason), latency: latency, isAuthenticated: rejection.authenticated, &state)
      }
      return Self.take(request, messageID: messageID, from: origin, at: microseconds, &state)
    }
  }

  /// A request with nothing wrong: the script decides, the ledger records.
  private static func take(
    _ request: PushRequest, messageID: String, from origin: RequestOrigin, at microseconds: Int64,
    _ state: inout SimulatorState
  ) -> Directive {
    let rule = state.laboratory.rule(token: request.deviceToken, connectionRequest: origin.number)
    let fault = rule?.fault ?? .none
    var answer = Answer.accepted
    var isTaken = false
    switch fault {
    case .none: isTaken = true
    case .answer(let scripted):
      answer = scripted
      isTaken = scripted.status == 200
    case .goaway(let goaway): isTaken = origin.stream <= origin.lastStream(refusing: goaway.refuse)
    case .reset, .stall, .kill, .silence: break
    }
    isTaken = rule?.accept ?? isTaken
    if isTaken {
      state.ledger.record(
        request, messageID: messageID, at: microseconds,
        from: Ledger.Origin(connection: origin.connection, stream: origin.stream, status: answer.status))
    }
    let latency = state.laboratory.script.latencyMilliseconds + (rule?.latencyMilliseconds ?? 0)
    var directive = finish(fault, answer, latency: latency, isAuthenticated: true, &state)
    directive.isTaken = isTaken
    return directive
  }

  private static func finish(
    _ fault: Fault, _ answer: Answer, latency: Int, isAuthenticated: Bool, _ state: inout SimulatorState
  ) -> Directive {
    var isHeld = false
    switch fault {
    case .none, .answer, .goaway:
      state.count(answer)
      if state.isHolding {
        isHeld = state.answersBeforeHold == 0
        if isHeld { state.held += 1 } else { state.answersBeforeHold -= 1 }
      }
    case .reset, .stall, .kill, .silence: break
    }
    return Directive(
      fault: fault, answer: answer, latencyMilliseconds: latency, isHeld: isHeld, isAuthenticated: isAuthenticated)
  }
}
