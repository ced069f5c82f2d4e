internal import JSON
internal import KitsCore

/// How identities are answered.
enum IdentityJSON {
  /// `IdentityResult` of the contract.
  static func result(
    _ result: IdentityAnswer.Result, of operation: IdentityOperationID, _ standing: IdentityAnswer.Standing
  ) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("result", result.rawValue)
    json.member("operation_id", operation)
    json.key("binding")
    json.binding(standing.binding)
    json.member("policy_revision", standing.policyRevision)
    json.member("replayed", standing.isReplay)
    json.endObject()
    return json
  }

  /// `Identity` of the contract. `operation` is null unless it was asked for.
  static func identity(_ view: IdentityView, asked: Bool) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("binding")
    json.binding(view.binding)
    json.member("policy_revision", view.policyRevision)
    json.key("operation")
    if asked { json.operation(view.operation) } else { json.null() }
    json.endObject()
    return json
  }

  /// `IdentityPolicy` of the contract.
  static func policy(_ view: IdentityView) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("auth_mode", view.authMode.name)
    json.member("policy_revision", view.policyRevision)
    json.key("binding")
    json.binding(view.binding)
    json.endObject()
    return json
  }

  /// `IdentityProof` of the contract.
  static func proof(_ text: String, expiresAt: Timestamp) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("token", text)
    json.member("expires_at", expiresAt)
    json.endObject()
    return json
  }

  static func binding(_ binding: BindingState) -> [UInt8] {
    var json = JSONWriter()
    json.binding(binding)
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func operation(_ operation: IdentityView.Operation?) {
    beginObject()
    member("state", operation.map { $0.isConflict ? "conflict" : "completed" } ?? "unknown")
    key("binding")
    if let operation { binding(operation.binding) } else { null() }
    endObject()
  }
}
