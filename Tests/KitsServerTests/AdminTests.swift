import FoundationEssentials
import HTTPServer
import Testing

@testable import KitsServer

@Suite("Admin address")
struct AdminTests {
  /// Runs `body` against a listening admin service.
  static func withAdmin(
    _ readiness: Readiness, _ telemetry: Telemetry, _ body: (UInt16) async throws -> Void
  ) async throws {
    let service = HTTPService(
      name: "admin", listen: SocketAddress(host: "127.0.0.1", port: 0, family: .ipv4), limits: AdminRouter.limits,
      drain: .seconds(1), router: AdminRouter.make(readiness, telemetry.metrics), telemetry: telemetry)
    try await service.start()
    let run = Task { try await service.run() }
    do { try await body(UInt16(service.port)) } catch {
      await service.stop()
      throw error
    }
    await service.stop()
    try await run.value
    #expect(service.port == 0)
  }

  @Test("Health, readiness and metrics answer over a socket, and readiness follows its checks")
  func endpoints() async throws {
    let readiness = Readiness()
    let telemetry = Telemetry(level: .error)
    ProcessMetrics.register(in: telemetry.metrics)
    try await Self.withAdmin(readiness, telemetry) { port in
      let health = try SocketClient.get("/healthz", port: port)
      #expect(health.status == 200 && health.body == "{\"status\":\"alive\"}\n")
      #expect(health.head.contains("Content-Type: application/json\r\n"))
      #expect(health.head.contains("Cache-Control: no-store\r\n"))
      #expect(try SocketClient.get("/readyz", port: port).status == 200)
      readiness.register("database") { "connection refused" }
      let refused = try SocketClient.get("/readyz", port: port)
      #expect(refused.status == 503)
      #expect(
        refused.body
          == #"{"status":"not_ready","reasons":[{"check":"database","reason":"connection refused"}]}"# + "\n")
      readiness.drain()
      #expect(try SocketClient.get("/readyz", port: port).body.contains("draining"))
      #expect(try SocketClient.get("/healthz", port: port).status == 200)
      #expect(try SocketClient.get("/nothing", port: port).status == 404)
      let metrics = try SocketClient.get("/metrics", port: port)
      #expect(metrics.status == 200)
      #expect(metrics.head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      try ExpositionRules.check(metrics.body)
      let line = #"kits_http_requests_total{listener="admin",method="GET",route="/readyz",status="503"} "#
      #expect(metrics.body.contains(line))
      #expect(metrics.body.contains("process_resident_memory_bytes "))
    }
  }

  @Test("A port in use is an error of start")
  func taken() async throws {
    let telemetry = Telemetry(level: .error)
    try await Self.withAdmin(Readiness(), telemetry) { port in
      let second = HTTPService(
        name: "second", listen: SocketAddress(host: "127.0.0.1", port: port, family: .ipv4),
        limits: AdminRouter.limits, drain: .seconds(1), router: AdminRouter.make(Readiness(), telemetry.metrics),
        telemetry: telemetry)
      await #expect(throws: HTTPServerError.addressInUse(host: "127.0.0.1", port: Int(port))) {
        try await second.start()
      }
    }
  }
}
