import Foundation
import TestSupport
import Testing

@Suite("Frames on the connection")
struct ConnectionTests {
  private let provider = Provider()

  /// What nghttp prints about each frame, one line per frame and field.
  private func frames(_ simulator: SimulatorProcess, _ pushes: Int = 1, topic: String = "com.example.app") async throws
    -> String
  {
    let body = NSTemporaryDirectory() + "body-\(UUID().uuidString)"
    try Push.alert.write(toFile: body, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: body) }
    let target = "https://localhost:\(simulator.port)/3/device/\(Push.device)"
    let command = try await Command.run(
      "/usr/bin/nghttp",
      ["-v", "--no-dep", "-t", "5", "-d", body, "-H", "authorization: bearer \(try provider.token())"]
        + ["-H", "apns-topic: \(topic)"] + Array(repeating: target, count: pushes))
    // Without the colours.
    return command.text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
  }

  @Test("One stream is allowed until the first answer to a good token, then a thousand")
  func widening() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let text = try await frames(simulator)
    let limits = text.matches(of: #/SETTINGS_MAX_CONCURRENT_STREAMS\(0x03\):(\d+)/#).map { String($0.1) }
    // nghttp's own SETTINGS come with 100.
    #expect(limits.filter { $0 != "100" } == ["1", "1000"])
    #expect(text.contains(":status: 200"))
    #expect(text.contains("SETTINGS_MAX_HEADER_LIST_SIZE(0x06):8000"))
  }

  @Test("A bad token doesn't widen the connection, a rejection with a good one does")
  func noWidening() async throws {
    let stranger = try await SimulatorProcess()
    #expect(try await !frames(stranger).contains("STREAMS(0x03):1000"))
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    #expect(try await frames(simulator, topic: "x y").contains("STREAMS(0x03):1000"))
  }

  @Test("GOAWAY carries the scripted reason, code and last stream, twice if asked")
  func goaway() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script",
      json: "{\"rules\":[{\"goaway\":{\"code\":0,\"reason\":\"Shutdown\",\"twice\":true,\"close\":true}}]}")
    let text = try await frames(simulator)
    #expect(text.matches(of: #/recv GOAWAY frame/#).count == 2)
    #expect(text.contains("opaque_data(21)=[{\"reason\":\"Shutdown\"}]"))
    #expect(try await simulator.count("goaways_sent") == 2)
    #expect(try await simulator.count("accepted") == 1)
  }

  @Test("Streams above the last-stream-id of a GOAWAY are neither taken nor answered")
  func goawayRefuses() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script", json: "{\"rules\":[{\"times\":1,\"goaway\":{\"refuse\":1,\"reason\":\"Shutdown\",\"close\":true}}]}")
    let text = try await frames(simulator)
    #expect(text.contains("last_stream_id=11") || text.contains("last_stream_id=0"))
    #expect(!text.contains(":status: 200"))
    #expect(try await simulator.count("accepted") == 0)
  }

  @Test("GOAWAY can come in place of the first SETTINGS")
  func goawayBeforeSettings() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script",
      json: "{\"connection\":{\"goaway_before_settings\":{\"code\":2,\"text\":\"no more\",\"close\":true}}}")
    let text = try await frames(simulator)
    #expect(text.contains("unexpected data while we expected SETTINGS frame"))
    #expect(try await simulator.count("goaways_sent") == 1)
    #expect(try await simulator.count("received") == 0)
  }

  @Test("An expired token wedges the connection when scripted: limit 1, RST 7, RST 5")
  func wedge() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script", json: "{\"connection\":{\"initial_streams\":100,\"wedge_on_expired_token\":true}}")
    let old = Push(token: try provider.token(issuedAt: 1_000_000_000))
    let answers = try await Curl(simulator: simulator).send([old, old])
    #expect(answers[0].reason == "ExpiredProviderToken")
    // REFUSED_STREAM makes libcurl try again on a new connection.
    #expect(answers.map(\.connects) == [1, 1])
    #expect(try await simulator.count("connections_opened") == 2)
  }

  @Test("After a rejection the limit collapses to 1 when scripted, and recovers after a success")
  func collapse() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post("/script", json: "{\"connection\":{\"collapse_after_error\":true}}")
    #expect(try await frames(simulator, topic: "x y").contains("STREAMS(0x03):1000") == false)
    #expect(try await frames(simulator).contains("STREAMS(0x03):1000"))
  }

  @Test("A client that resets each finished stream isn't punished, unless the script says so")
  func rapidResets() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    let good = Push(token: try provider.token())
    let many = Array(repeating: good, count: 1_200)
    let answers = try await Curl(simulator: simulator).send(many)
    #expect(answers.allSatisfy { $0.status == 200 })
    #expect(answers.map(\.connects).reduce(0, +) == 1)
    try await simulator.post("/script", json: "{\"connection\":{\"resets_per_second\":10}}")
    if try await simulator.count("resets_received") > 100 {
      let punished = try await Curl(simulator: simulator).send(Array(many.prefix(100)))
      #expect(punished.map(\.connects).reduce(0, +) > 1)
    }
  }

  @Test("A graceful GOAWAY announces itself first and lets streams in flight finish")
  func gracefulGoaway() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script", json: "{\"rules\":[{\"times\":1,\"goaway\":{\"graceful\":true,\"reason\":\"Shutdown\"}}]}")
    let text = try await frames(simulator)
    #expect(text.contains("last_stream_id=2147483647"))
    #expect(text.contains(":status: 200"))
    #expect(text.contains("{\"reason\":\"Shutdown\"}"))
  }

  @Test("A silent connection neither answers nor closes; a new one works")
  func silence() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post("/script", json: "{\"rules\":[{\"times\":1,\"silence\":true}]}")
    let good = Push(token: try provider.token())
    let silent = try await Curl(simulator: simulator).send([good], seconds: 1)
    #expect(silent[0].result == 28)
    #expect(try await Curl(simulator: simulator).send(good).status == 200)
    try await simulator.wait("connections_closed=2")
    #expect(try await simulator.count("accepted") == 1)
  }

  @Test("A body may come in many small frames, and reads may be slow")
  func smallFrames() async throws {
    let simulator = try await SimulatorProcess(keys: [provider.registration])
    try await simulator.post(
      "/script",
      json: """
        {"connection":{"read_pause_ms":5},"rules":[{"reason":"Unregistered","timestamp":1700000000123,"frame_bytes":1}]}
        """)
    let answer = try await Curl(simulator: simulator).send(Push(token: try provider.token()))
    #expect(answer.body == "{\"reason\":\"Unregistered\",\"timestamp\":1700000000123}")
  }

  @Test("Only h2 is spoken: a client that offers HTTP/1.1 alone gets no handshake")
  func onlyH2() async throws {
    let simulator = try await SimulatorProcess()
    let command = try await Command.run(
      "/usr/bin/curl",
      ["-s", "--http1.1", "--cacert", simulator.certificateFile, "https://localhost:\(simulator.port)/"])
    #expect(command.status == 35)
    try await simulator.wait("connections_closed=1")
  }
}
