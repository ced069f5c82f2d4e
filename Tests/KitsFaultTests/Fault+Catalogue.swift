extension Fault {
  /// Every fault of the simulator. `accept` means that the service took the push although we never hear of it: then a
  /// second try doubles it.
  static let all: [Fault] = answers + streams + connections + tokens

  private static let answers: [Fault] = [
    .rules(
      "503 for a fifth", #"{"share":0.2,"times":80,"status":503,"reason":"ServiceUnavailable"}"#,
      reason: "ServiceUnavailable"),
    .rules(
      "500 once for many", #"{"share":0.5,"times":50,"status":500,"reason":"InternalServerError"}"#,
      reason: "InternalServerError"),
    .rules(
      "429 TooManyRequests", #"{"share":0.1,"times":30,"status":429,"reason":"TooManyRequests"}"#,
      reason: "TooManyRequests"),
    .rules(
      "503 Shutdown", #"{"after":100,"times":2,"status":503,"reason":"Shutdown"}"#, connections: 2,
      reason: "Shutdown"),
    .rules(
      "400 IdleTimeout", #"{"after":100,"times":2,"status":400,"reason":"IdleTimeout"}"#, connections: 2,
      reason: "IdleTimeout"),
    .rules("503 without a body", #"{"share":0.2,"times":20,"status":503}"#, reason: ""),
    .rules(
      "a body split over frames",
      #"{"share":0.2,"times":20,"status":503,"reason":"ServiceUnavailable","frame_bytes":3}"#,
      reason: "ServiceUnavailable"),
    Fault(
      name: "an unknown reason", script: #"{"rules":[{"after":40,"times":5,"status":400,"reason":"NeverSeenBefore"}]}"#,
      failed: 5, failedReason: "NeverSeenBefore", reason: "NeverSeenBefore"),
    Fault(
      name: "400 without a body", script: #"{"rules":[{"after":40,"times":3,"status":400}]}"#, failed: 3, reason: ""),
    Fault(
      name: "410 for some", script: #"{"rules":[{"share":0.1,"times":10,"status":410,"reason":"Unregistered"}]}"#,
      failed: 10, failedReason: "Unregistered", reason: "Unregistered"),
    .rules("late answers", #"{"share":0.05,"latency_ms":400}"#),
  ]

  private static let streams: [Fault] = [
    .rules("RST 7", #"{"after":60,"times":5,"reset":[7]}"#, connections: 2),
    .rules("RST 7, then 5", #"{"after":60,"times":5,"reset":[7,5]}"#, connections: 2),
    .rules("RST 8, not taken", #"{"after":60,"times":5,"reset":[8]}"#),
    .rules("RST 8 for what was taken", #"{"after":60,"times":5,"reset":[8],"accept":true}"#),
    .rules("one stream without an answer", #"{"after":60,"times":1,"stall":true,"accept":true}"#),
    Fault(
      name: "the stream limit collapses after errors",
      script: """
        {"latency_ms":5,"connection":{"streams":200,"collapse_after_error":true},
         "rules":[{"share":0.1,"times":6,"status":400,"reason":"BadDeviceToken"}]}
        """,
      failed: 6, failedReason: "BadDeviceToken", reason: "BadDeviceToken"),
    Fault(name: "a limit of one stream", script: #"{"connection":{"initial_streams":1,"streams":1}}"#),
  ]

  private static let connections: [Fault] = [
    .rules("GOAWAY, graceful", #"{"after":80,"times":1,"goaway":{"graceful":true}}"#, connections: 2),
    .rules(
      "GOAWAY below streams that were created", #"{"after":80,"times":2,"goaway":{"reason":"Shutdown","refuse":10}}"#,
      connections: 2),
    .rules("GOAWAY twice", #"{"after":80,"times":1,"goaway":{"refuse":3,"twice":true}}"#, connections: 2),
    .rules(
      "GOAWAY with text, and hanging up",
      #"{"after":80,"times":1,"goaway":{"text":"Maximum active streams","close":true}}"#,
      connections: 2),
    Fault(
      name: "GOAWAY before SETTINGS", script: #"{"connection":{"goaway_before_settings":{"code":2}}}"#,
      steps: [Step(when: "connections_opened=2", script: nil)], connections: 3),
    .rules("killed by FIN", #"{"after":90,"times":1,"kill":"fin","accept":true}"#, connections: 2),
    .rules("killed by RST", #"{"after":90,"times":1,"kill":"rst","accept":true}"#, connections: 2),
    .rules("killed at every 60th request", #"{"connection_request":60,"times":4,"kill":"rst"}"#, connections: 2),
    .rules("silence", #"{"after":90,"times":1,"silence":true,"accept":true}"#, connections: 2),
    Fault(name: "slow reads", script: #"{"connection":{"read_pause_ms":20}}"#),
  ]

  private static let tokens: [Fault] = [
    // A young token that is called expired is a clock fault and pauses the app: PauseTests.
    Fault(
      name: "TooManyProviderTokenUpdates spoils the connection",
      script: """
        {"latency_ms":5,"connection":{"spoil_on_token_update":true},
         "rules":[{"after":60,"times":1,"status":429,"reason":"TooManyProviderTokenUpdates"}]}
        """,
      reason: "TooManyProviderTokenUpdates", connections: 2),
    .rules(
      "another team's key was first here", #"{"after":60,"times":3,"status":403,"reason":"UnrelatedKeyIdInToken"}"#,
      connections: 2, reason: "UnrelatedKeyIdInToken"),
  ]
}
