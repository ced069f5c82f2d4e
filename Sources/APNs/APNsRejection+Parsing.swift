import HTTPClient
import JSON

extension APNsRejection {
  /// Reads `{"reason": …, "timestamp": …}`. Whatever the body is, the status counts.
  init(_ response: HTTPResponse) {
    guard let answer = try? JSON.parse(response.body, maxDepth: 8), let object = answer.object else {
      self.init(status: response.status, reason: .none)
      return
    }
    let reason = object["reason"]?.string.map { APNsReason($0) } ?? .none
    self.init(
      status: response.status, reason: reason.text.isEmpty ? .none : reason,
      timestampMilliseconds: response.status == 410 ? object["timestamp"]?.integer : nil)
  }
}

extension SendOutcome {
  init(_ outcome: HTTPOutcome) {
    switch outcome {
    case .response(let response):
      self = response.status == 200 ? .accepted : .rejected(APNsRejection(response))
    case .neverSent(let cause): self = .notSent(NotSentCause(cause))
    case .unknown(let cause): self = .unknown(UnknownCause(cause))
    }
  }
}

extension NotSentCause {
  init(_ cause: NeverSentCause) {
    switch cause {
    case .leaseExpired: self = .leaseExpired
    case .deadline: self = .deadline
    case .noConnection(let code): self = .noConnection(code: code)
    case .queueFull: self = .queueFull
    case .invalidRequest: self = .invalidRequest
    case .stopped: self = .stopped
    }
  }
}

extension UnknownCause {
  init(_ cause: HTTPClient.UnknownCause) {
    switch cause {
    case .deadline: self = .deadline
    case .silence: self = .silence
    case .connectionLost(let code): self = .connectionLost(code: code)
    case .streamReset: self = .streamReset
    case .stopped: self = .stopped
    }
  }
}
