import Foundation
import JSON

/// Counting five typical segments over HTTP, against psql running the same SQL.
struct PreviewMeasurement {
  let stage: Stage
  let options: BenchOptions

  /// A filter as the API takes it and as the same condition in SQL.
  struct Segment {
    let name: String
    let filter: String
    let sql: String
  }

  static let segments = [
    Segment(name: "everyone", filter: #"{"all":[]}"#, sql: "TRUE"),
    Segment(
      name: "version", filter: #"{"field":"app_version","op":"gte","value":"4.24"}"#,
      sql: "i.app_version_key >= '14224/'"),
    Segment(
      name: "selective tag", filter: #"{"field":"tag.city","op":"is","value":"c7"}"#,
      sql: #"i.tags @> '{"city":"c7"}'"#),
    Segment(
      name: "language and last session",
      filter: """
        {"all":[{"field":"language","op":"is","value":"de"},{"field":"last_session","op":"newer_than","value":1209600}]}
        """,
      sql: """
        (i.language = 'de' OR starts_with(i.language, 'de-'))
          AND i.last_session_at > now() - 1209600 * interval '1 second'
        """),
    Segment(
      name: "number in a tag, sessions",
      filter: """
        {"all":[{"field":"tag.score","op":"gt","value":500},{"not":{"field":"session_count","op":"lt","value":20}}]}
        """,
      sql: #"""
        (CASE WHEN (i.tags ->> 'score') COLLATE "C" ~ '^-?[0-9]+(\.[0-9]+)?$'
           THEN (i.tags ->> 'score')::numeric > 500::numeric END)
          AND (i.session_count < 20) IS NOT TRUE
        """#),
  ]

  func run() throws(BenchError) -> [Figure] {
    let count = max(options.memoryInstallations, options.installations)
    try load(count)
    let wire = try HTTPWire(port: stage.apiPort)
    var figures: [Figure] = []
    for segment in Self.segments {
      Progress.say("preview, \(segment.name)")
      var previewed: [Double] = []
      var selected: [Double] = []
      var (matching, estimates) = (0, 0)
      // One more of each, which warms up.
      for round in 0...options.rounds * 2 {
        let answer = try preview(segment, wire)
        let reference = try select(segment)
        if !answer.isExact {
          estimates += 1
        } else if answer.matching != reference.matching {
          throw BenchError("\(segment.name): \(answer.matching) previewed, \(reference.matching) selected")
        }
        matching = reference.matching
        if round == 0 { continue }
        previewed.append(answer.milliseconds)
        selected.append(reference.milliseconds)
      }
      figures.append(
        Figure(
          "preview: \(segment.name)", Percentiles(previewed)[0.5], "ms", against: Percentiles(selected)[0.5],
          "the same SQL in psql", target: .atMost(1.2),
          note: "\(matching) of \(count) match" + (estimates > 0 ? ", \(estimates) times only estimated" : "")))
    }
    return figures
  }

  private func preview(
    _ segment: Segment, _ wire: HTTPWire
  ) throws(BenchError) -> (matching: Int, isExact: Bool, milliseconds: Double) {
    let body = #"{"app_id":"\#(try stage.keys(.segmented).id)","filter":\#(segment.filter)}"#
    let start = Moment.monotonic
    let answer = try wire.call(
      "POST", "/v1/segments/preview", headers: [MessageCalls.authorization(stage)], body: body)
    let seconds = Moment.seconds(since: start)
    guard answer.status == 200, let method = answer.json["method"]?.string,
      let matching = answer.json["matching"]?.integer
    else { throw BenchError("preview: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))") }
    return (Int(matching), method == "exact", seconds * 1_000)
  }

  /// Without just-in-time compilation, which only costs time here; the server has it off, too.
  private func select(_ segment: Segment) throws(BenchError) -> (matching: Int, milliseconds: Double) {
    let script = """
      \\set QUIET on
      SET jit = off;
      \\pset format unaligned
      \\pset tuples_only on
      \\timing on
      WITH g AS MATERIALIZED (
        SELECT i.platform, i.external_id IS NOT NULL AS identified, i.installation_no % 256 AS spread,
          count(*) AS matching, count(o.installation_no) AS sendable,
          sum(hashint8extended(i.installation_no, 0)) FILTER (WHERE o.installation_no IS NOT NULL) AS digest,
          min(i.installation_no) AS lowest, max(i.installation_no) AS highest
        FROM installation i
        LEFT JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token
          AND o.installation_no = i.installation_no AND i.reachable
        WHERE i.app_no = \(try stage.keys(.segmented).number) AND (\(segment.sql))
        GROUP BY 1, 2, 3
      )
      SELECT 'found ' || coalesce(sum(matching), 0), sum(sendable), sum(digest), min(lowest), max(highest)
      FROM g;

      """
    var matching: Int?
    var milliseconds: Double?
    for line in try Child.output(of: stage.psql, input: script).split(separator: "\n") {
      // "found 123|…", and "Time: 123.456 ms (00:00.123)"
      if line.hasPrefix("found ") { matching = Int(line.dropFirst(6).prefix { $0 != "|" }) }
      if line.hasPrefix("Time: ") { milliseconds = Double(line.split(separator: " ")[1]) }
    }
    guard let matching, let milliseconds else { throw BenchError("psql printed no count or time") }
    return (matching, milliseconds)
  }

  /// A population with tags, versions, languages, sessions and users.
  func load(_ count: Int) throws(BenchError) {
    let app = try stage.keys(.segmented)
    guard try stage.database.number("SELECT count(*) FROM installation WHERE app_no = \(app.number)") == 0 else {
      return
    }
    Progress.say("making up \(count) installations with tags and sessions")
    guard try stage.command(["dev", "populate", "\(count)", "--app", app.id, "--json"]).wait() == 0 else {
      throw BenchError("kits dev populate failed")
    }
    try stage.database.rows("VACUUM (ANALYZE) installation")
    try stage.database.rows("VACUUM (ANALYZE) token_owner")
    try stage.database.rows("CHECKPOINT")
  }
}
