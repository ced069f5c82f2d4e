package import KitsCore

/// An endpoint that this process works for, until its lease ends.
package struct WebhookClaim: Sendable, Equatable {
  package let webhook: WebhookNumber
  package let id: WebhookID
  package let epoch: Int32
  package let url: String
  package let secret: SealedWebhookSecret
  /// Signs too, for a day after a rotation.
  package let previousSecret: SealedWebhookSecret?
}

/// An event for an endpoint, and how far earlier attempts came.
package struct WebhookTask: Sendable, Equatable {
  package let event: FeedEvent
  /// What keeps its order; nil: nothing.
  package let subject: MessageID?
  /// 0 for an event that is read the first time.
  package let attempts: Int32
  /// Three days of attempts are over: the next failure is the last.
  package let isOverdue: Bool
  /// An earlier event of the same subject waits: this one has to, too.
  package let isBlocked: Bool
  /// As it goes into the body.
  package let timestamp: String

  package init(
    event: FeedEvent, subject: MessageID?, attempts: Int32, isOverdue: Bool, isBlocked: Bool, timestamp: String
  ) {
    self.event = event
    self.subject = subject
    self.attempts = attempts
    self.isOverdue = isOverdue
    self.isBlocked = isBlocked
    self.timestamp = timestamp
  }
}

/// Tasks that are worked on together.
package struct WebhookBatch: Sendable, Equatable {
  package let tasks: [WebhookTask]
  /// Everything up to here is in `tasks` or isn't for the endpoint; nil for a batch of retries.
  package let upTo: Int64?
}

/// What became of a task.
package struct WebhookResult: Sendable, Equatable {
  package let task: WebhookTask
  package let verdict: Verdict
  package let status: Int32
  /// One sentence; nil when nothing was tried.
  package let problem: String?

  package init(_ task: WebhookTask, _ verdict: Verdict, status: Int32 = 0, problem: String? = nil) {
    self.task = task
    self.verdict = verdict
    self.status = status
    self.problem = problem
  }

  package enum Verdict: Sendable, Equatable {
    case delivered
    /// Failed; due again after so long.
    case again(milliseconds: Int64)
    /// Failed for the last time.
    case dead
    /// Not tried, because an earlier event of its subject waits.
    case behind
    /// Not tried, because there was no time.
    case untried
  }
}

/// What a turn says about the endpoint itself.
package struct WebhookTurn: Sendable, Equatable {
  package let claim: WebhookClaim
  package let results: [WebhookResult]
  package let upTo: Int64?
  /// It answered 410: it wants nothing more.
  package let isGone: Bool
  /// How long it is left alone, because nothing went through; 0 when something did.
  package let pauseMilliseconds: Int64

  package init(
    claim: WebhookClaim, results: [WebhookResult], upTo: Int64?, isGone: Bool, pauseMilliseconds: Int64
  ) {
    self.claim = claim
    self.results = results
    self.upTo = upTo
    self.isGone = isGone
    self.pauseMilliseconds = pauseMilliseconds
  }
}
