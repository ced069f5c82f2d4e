import Foundation
import TestSupport

/// The few lines of `openapi.yaml` that tests compare with the code. Read once: it is long, and tests ask for each
/// route.
enum Contract {
  struct Code: Equatable {
    let status: Int
    let retryable: String
  }

  static let lines: [String] = {
    let text = try? String(contentsOfFile: TestCluster.repository + "/openapi.yaml", encoding: .utf8)
    return (text ?? "").components(separatedBy: "\n")
  }()

  /// `GET /v1/…` of every operation.
  static let operations: Set<String> = {
    var found: Set<String> = []
    var path = ""
    for line in section("paths:") {
      if let name = line.wholeMatch(of: /\ \ (\/[^:]*):/) { path = String(name.1) }
      if let method = line.wholeMatch(of: /\ \ \ \ (get|put|post|patch|delete|head|options):/) {
        found.insert("\(method.1.uppercased()) \(path)")
      }
    }
    return found
  }()

  /// The credentials that an operation takes, with the scopes that one of them needs: `[deviceToken: [], …]`.
  static let security: [String: [String: [String]]] = {
    var found: [String: [String: [String]]] = [:]
    var (path, operation) = ("", "")
    for line in section("paths:") {
      if let name = line.wholeMatch(of: /\ \ (\/[^:]*):/) { path = String(name.1) }
      if let method = line.wholeMatch(of: /\ \ \ \ (get|put|post|patch|delete|head|options):/) {
        operation = "\(method.1.uppercased()) \(path)"
      }
      guard line.hasPrefix("      security:") else { continue }
      found[operation] = line.matches(of: /\{(\w+): \[([^\]]*)\]\}/).reduce(into: [:]) { schemes, match in
        let scopes = match.2.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " '")) }
        schemes[String(match.1)] = scopes
      }
    }
    return found
  }()

  static let codes: [String: Code] = {
    var found: [String: Code] = [:]
    for line in section("x-kits-codes:") {
      guard let match = line.firstMatch(of: /^  ([A-Z_]+): \{status: ([0-9]+), retryable: ([a-z_]+),/) else { continue }
      found[String(match.1)] = Code(status: Int(match.2) ?? 0, retryable: String(match.3))
    }
    return found
  }()

  static let fieldCodes: Set<String> = {
    Set(section("x-kits-field-codes:").compactMap { $0.firstMatch(of: /^  ([A-Z_]+):/).map { String($0.1) } })
  }()

  /// The indented lines below a key at the margin.
  private static func section(_ key: String) -> ArraySlice<String> {
    guard let start = lines.firstIndex(of: key) else { return [] }
    return lines[(start + 1)...].prefix { $0.isEmpty || $0.hasPrefix(" ") || $0.hasPrefix("#") }
  }
}
