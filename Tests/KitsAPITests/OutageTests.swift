import Foundation
import HTTPServer
import JSON
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

struct OutageTests {
  @Test("While the database is down every call says so, and after its restart all is well")
  func restart() async throws {
    let cluster = try TestCluster()
    try cluster.start()
    let running = try await RunningAPI(url: cluster.url)
    try await running.pool.script(Self.schema(), deadline: .now + .seconds(60))
    let tenant = try await Tenant.make(running)
    let device = try await tenant.device()
    let key = [("X-Kits-Public-Key", tenant.publicKey.text)]
    try cluster.stop(.immediate)
    for reply in [
      try await running.send("GET", "/v1/sdk/config", headers: key), try await tenant.register(),
      try await device.read(), try await device.patch(#"{"state_revision":2}"#), try await device.delete(),
    ] {
      #expect(reply.status == 503)
      #expect(reply.code == "DATABASE_UNAVAILABLE")
      #expect(reply.json["retryable"]?.bool == true)
      #expect(reply.header("Retry-After") == "1")
    }
    let wrong = try await running.send("GET", device.path, headers: [("Authorization", "Bearer x")])
    #expect(wrong.code == "DEVICE_TOKEN_INVALID")
    try cluster.start()
    // The pool holds off new connections for a moment after a failed one.
    var recovered = try await device.read()
    let patience = ContinuousClock.now + .seconds(20)
    while recovered.status == 503, ContinuousClock.now < patience { recovered = try await device.read() }
    #expect(recovered.status == 200)
    #expect(try await device.patch(#"{"state_revision":2}"#).status == 200)
    #expect(try await tenant.register().status == 201)
    await running.server.stop(grace: .seconds(1))
    await running.pool.close()
    try cluster.remove()
  }

  private static func schema() throws -> String {
    let directory = TestCluster.repository + "/db/migrations"
    return try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".sql") }.sorted()
      .map { try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8) }.joined(separator: "\n")
  }
}
