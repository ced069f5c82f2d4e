import Foundation
import JSON
import TestSupport

/// Some nodes on one database, in front of one simulator, with an audience.
struct Lab: Sendable {
  let server: RunningServer
  let others: [ServeProcess]
  /// Ids of the installations.
  let installations: [String]

  /// Short times: what takes a minute in production takes seconds here.
  static let settings = ["KITS_LEASE_SECONDS": "5", "KITS_RETRY_SECONDS": "1"]
  static let everyone = #"{"target": {"everyone": true}, "title": "Hello"}"#

  /// Runs a test with `nodes` processes and `devices` installations of its own.
  static func with(
    nodes: Int, devices: Int, simulatorArguments: [String] = [], _ body: (Lab) async throws -> Void
  ) async throws {
    try await withServer(settings: settings, simulatorArguments: simulatorArguments) { server in
      try await body(try await Lab(server: server, nodes: nodes, devices: devices))
    }
  }

  /// - Parameter changes: settings in which the other nodes differ from the first.
  init(server: RunningServer, nodes: Int, devices: Int, changes: [String: String] = [:]) async throws {
    self.server = server
    var others: [ServeProcess] = []
    for _ in 1..<max(nodes, 1) { others.append(try await server.anotherNode(changes: changes)) }
    self.others = others
    try await server.fill(devices)
    installations = try await server.texts("SELECT installation_id::text FROM installation ORDER BY installation_no")
  }

  var simulator: SimulatorProcess { server.simulator }
  var nodes: Int { 1 + others.count }
  /// What all nodes have logged.
  var log: String { server.log + others.map(\.log).joined() }

  /// Where node `number` takes requests; 0 is the first.
  func url(of number: Int) -> String {
    number == 0 ? server.baseURL : "http://127.0.0.1:\(others[number - 1].port)"
  }

  func call(_ method: String, _ path: String, node: Int, json: String? = nil) async throws -> HTTPCall.Answer {
    try await HTTPCall(method, url(of: node) + path, bearer: server.tenant.serverKey, json: json).answer()
  }

  /// The id of a message created on a node: to everyone, or to the installation with this id.
  func send(on node: Int = 0, to installation: String? = nil) async throws -> String {
    let one = installation.map { #"{"target": {"installation_ids": ["\#($0)"]}, "title": "Hello"}"# }
    let answer = try await call("POST", "/v1/messages", node: node, json: one ?? Self.everyone)
    guard answer.status == 201, let id = answer.object["id"]?.string else {
      throw TestFailure("message on node \(node): \(answer.status) \(answer.text)")
    }
    return id
  }

  /// The message once nothing of it is pending, as a node tells it.
  func settled(_ id: String, on node: Int = 0, within limit: Duration = .seconds(90)) async throws -> JSONObject {
    var last = ""
    do {
      return try await eventually("message \(id) is settled", within: limit) {
        let answer = try await call("GET", "/v1/messages/\(id)", node: node)
        last = answer.text
        let isFinal = ["completed", "canceled"].contains(answer.object["state"]?.string ?? "")
        return isFinal && answer.object.ledger("pending") == 0 ? answer.object : nil
      }
    } catch {
      throw TestFailure("\(error): \(last)")
    }
  }

  /// Ends every process in order.
  func stop() async {
    for node in others { node.signal(SIGTERM) }
    server.signal(SIGTERM)
    for node in others { _ = await node.ending() }
  }
}
