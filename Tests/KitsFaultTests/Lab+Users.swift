import Foundation
import JSON
import TestSupport

extension Lab {
  /// A login on the device, or a logout, as its SDK does it, through one of the nodes.
  func login(_ user: String?, on device: RunningServer.Device, node: Int) async throws {
    let path = "/v1/installations/\(device.id)/identity"
    let now = try await HTTPCall("GET", url(of: node) + path, bearer: device.deviceToken).answer()
    guard let binding = now.object["binding"]?.object?["id"]?.string else {
      throw TestFailure("identity: \(now.status) \(now.text)")
    }
    let login = user.map { #", "external_id": "\#($0)""# } ?? ""
    let answer = try await HTTPCall(
      "POST", url(of: node) + path, bearer: device.deviceToken,
      json: """
        {"expected_binding_id": "\(binding)", "operation_id": "\(UUID().uuidString.lowercased())"\(login)}
        """
    ).answer()
    guard answer.status == 200 else { throw TestFailure("login: \(answer.status) \(answer.text)") }
  }

  /// The same by the customer's backend.
  func identify(_ installation: String, as user: String?, node: Int) async throws {
    let path = "/v1/installations/\(installation)"
    let now = try await call("GET", path + "/identity", node: node)
    guard let binding = now.object["binding"]?.object?["id"]?.string else {
      throw TestFailure("identity: \(now.status) \(now.text)")
    }
    let login = user.map { #", "external_id": "\#($0)""# } ?? ""
    let answer = try await call(
      "POST", path + (user == nil ? "/logout" : "/identify"), node: node,
      json: """
        {"expected_binding_id": "\(binding)", "operation_id": "\(UUID().uuidString.lowercased())"\(login)}
        """)
    guard answer.status == 200 else { throw TestFailure("identify: \(answer.status) \(answer.text)") }
  }

  /// The id of a message for these users, created on a node.
  func send(toUsers users: [String], title: String = "Hello", node: Int = 0) async throws -> String {
    let ids = users.map { "\"\($0)\"" }.joined(separator: ",")
    let answer = try await call(
      "POST", "/v1/messages", node: node,
      json: #"{"target": {"external_ids": [\#(ids)]}, "title": "\#(title)"}"#)
    guard answer.status == 201, let id = answer.object["id"]?.string else {
      throw TestFailure("message: \(answer.status) \(answer.text)")
    }
    return id
  }

  /// `pause` or `resume` of the app, by an operator.
  func app(_ verb: String) async throws {
    let ending = try await KitsProcess(["app", verb, server.tenant.appID], environment: server.environment).ending()
    guard ending.status == 0 else { throw TestFailure("kits app \(verb): \(ending)") }
  }
}
