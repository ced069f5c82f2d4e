import JSON
import KitsCore

/// Identifier reports as the column `identifiers` holds them: an object with a member per source, without nulls.
enum IdentifiersJSON {
  static func encode(_ changes: [IdentifierSource: Change<IdentifierReport>]) -> JSONValue {
    var object = JSONObject()
    for (source, change) in changes {
      switch change {
      case .unchanged: break
      case .cleared: object[source.rawValue] = .null
      case .set(let report): object[source.rawValue] = encode(report)
      }
    }
    return .object(object)
  }

  private static func encode(_ report: IdentifierReport) -> JSONValue {
    var object = JSONObject()
    object["available"] = .bool(report.available)
    object["limited"] = .bool(report.limited)
    object["hash"] = report.hash.map(JSONValue.string)
    object["message"] = report.message.map(JSONValue.string)
    return .object(object)
  }

  /// What `encode` wrote; an entry that it could not have written is left out.
  static func decode(_ bytes: [UInt8]) -> [IdentifierSource: IdentifierReport] {
    guard case .object(let object)? = try? JSON.parse(bytes) else { return [:] }
    var reports: [IdentifierSource: IdentifierReport] = [:]
    for source in IdentifierSource.allCases {
      guard case .object(let report)? = object[source.rawValue], case .bool(let available)? = report["available"],
        case .bool(let limited)? = report["limited"]
      else { continue }
      reports[source] = IdentifierReport(
        available: available, limited: limited, hash: report.text("hash"), message: report.text("message"))
    }
    return reports
  }
}

extension JSONObject {
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }
}
