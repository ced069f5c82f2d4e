/// The command line, parsed once.
struct Options: Sendable {
  var address = "127.0.0.1"
  var port: UInt16 = 0
  var adminPort: UInt16 = 0
  var certificateFile: String?
  var identityFile: String?
  var readyFile: String?
  var keyFiles: [String] = []
  /// `KEYID:TEAMID:public.pem[:production|sandbox[:bundle,bundle]]`
  var keys: [String] = []
  var scriptFile: String?
  var environment: PushEnvironment?
  var threads = 1
  var remember = 100_000
  var isFast = false
  var endsWithInput = false
  var wantsHelp = false

  static let maximumThreads = 64

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let flag = rest.popFirst() {
      switch flag {
      case "--help", "-h": wantsHelp = true
      case "--fast": isFast = true
      case "--end-with-stdin": endsWithInput = true
      case "--address": address = try Self.value(of: flag, &rest)
      case "--port": port = try Self.number(of: flag, &rest, in: 0...UInt16.max)
      case "--admin-port": adminPort = try Self.number(of: flag, &rest, in: 0...UInt16.max)
      case "--ca-file": certificateFile = try Self.value(of: flag, &rest)
      case "--identity-file": identityFile = try Self.value(of: flag, &rest)
      case "--ready-file": readyFile = try Self.value(of: flag, &rest)
      case "--keys": keyFiles.append(try Self.value(of: flag, &rest))
      case "--key": keys.append(try Self.value(of: flag, &rest))
      case "--script": scriptFile = try Self.value(of: flag, &rest)
      case "--threads": threads = try Self.number(of: flag, &rest, in: 1...Self.maximumThreads)
      case "--remember": remember = try Self.number(of: flag, &rest, in: 0...10_000_000)
      case "--environment":
        let text = try Self.value(of: flag, &rest)
        guard let environment = PushEnvironment(rawValue: text) else {
          throw UsageError("--environment is production or sandbox, not \(text)")
        }
        self.environment = environment
      default: throw UsageError("unknown option \(flag)")
      }
    }
  }

  private static func value(of flag: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError("\(flag) needs a value") }
    return value
  }

  private static func number<Number: FixedWidthInteger>(
    of flag: String, _ rest: inout ArraySlice<String>, in range: ClosedRange<Number>
  ) throws(UsageError) -> Number {
    let text = try value(of: flag, &rest)
    guard let number = Number(text), range.contains(number) else {
      throw UsageError("\(flag) is a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return number
  }

  static let help = """
    apns-simulator: a fake Apple Push Notification service for tests and benchmarks.

    Speaks HTTP/2 over TLS, checks requests as the documented service does, remembers what it took,
    and can be scripted to fail. Prints one JSON line with its ports when it is ready.

      --port N             port for pushes; 0 (default) takes any free one
      --address A          IPv4 address for pushes (default 127.0.0.1)
      --admin-port N       port of the admin API, on loopback only; 0 (default) takes any free one
      --ca-file PATH       where to write the certificate that clients have to trust
      --identity-file PATH keeps the certificates for the next run, so that clients trust that one too
      --key SPEC           KEYID:TEAMID:public.pem[:production|sandbox[:bundle,bundle]]; repeatable
      --keys PATH          JSON file with an array of keys, as POST /keys takes them; repeatable
      --environment E      production or sandbox: keys of the other environment are refused
                           (default: by host name, else both are let in)
      --script PATH        fault script to start with, as POST /script takes it
      --remember N         notifications kept for GET /notifications (default 100000); counts stay exact
      --threads N          worker threads (default 1)
      --fast               only counts: checks nothing but the length of the path, remembers nothing
      --ready-file PATH    also writes the ready line to this file
      --end-with-stdin     ends when standard input does, so that it never outlives the test that started it
      --help               this text

    Admin API (JSON): GET /stats, GET /notifications?token=|apns_id=|limit=, GET /wait?accepted=N&timeout_ms=,
    POST /reset, POST /keys, POST /tokens, DELETE /tokens, POST /script, DELETE /script, POST /missing,
    POST /hold?after=N, POST /release, POST /disconnect.

    POST /keys      {key_id, team_id, public_key_pem, topics?, environment?}
    POST /tokens    a rule with "token" or "prefix", or {"tokens": [rules]}; stays until DELETE /tokens
    POST /script    {latency_ms, connection, validation, rules}; replaces the script before it
      rule          which: token | prefix, share (0…1), after, times, connection_request (the n-th of each connection)
                    what: status, reason, timestamp, frame_bytes | reset: [codes] | stall | silence
                    | kill: "fin" or "rst" | goaway: {code, reason, text, refuse, graceful, twice, close}
                    also: latency_ms, accept (take the notification whatever the answer)
      connection    initial_streams, streams, collapse_after_error, wedge_on_expired_token, spoil_on_token_update,
                    goaway_before_settings, read_pause_ms, resets_per_second, clock_offset_seconds
      validation    token_max_age_seconds, token_update_seconds, environment
    Rules apply to requests that validation lets through; the first that fires decides.

    SIGTERM and SIGINT end it with status 0; a wrong command line is status 64, a failed start 1.
    """
}
