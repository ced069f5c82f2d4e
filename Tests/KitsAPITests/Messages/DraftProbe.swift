import JSON
import KitsCore

@testable import KitsAPI

/// What the validation says about bodies of `POST /v1/messages`.
enum DraftProbe {
  static func body(_ json: String) throws -> JSONObject {
    guard let object = try JSON.parse(Array(json.utf8)).object else { throw NotAnObject() }
    return object
  }

  static func draft(_ json: String) throws -> MessageDraft { try MessageDraft(body(json)) }

  /// The content fields, with a target.
  static func content(_ fields: String) throws -> MessageContent {
    try draft("{\"target\":{\"everyone\":true},\(fields)}").content
  }

  /// The code and each fault as `pointer CODE`; empty when the body is fine.
  static func faults(_ json: String) throws -> (code: KitsError.Code?, fields: [String]) {
    do {
      _ = try draft(json)
      return (nil, [])
    } catch let error as KitsError {
      return (error.code, error.fields.map(text))
    }
  }

  /// A body that is fine but for these fields.
  static func faults(fields: String) throws -> [String] {
    try faults("{\"target\":{\"everyone\":true},\(fields)}").fields
  }

  private static func text(_ fault: KitsError.FieldFault) -> String {
    guard case .pointer(let pointer) = fault.place else { return "a parameter" }
    return "\(pointer) \(fault.code.rawValue)"
  }

  private struct NotAnObject: Error {}
}
