import Crypto
import Foundation
import JSON
import Testing

/// Files that others published, kept beside the tests.
enum Vectors {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

  static func text(_ path: String) throws -> String {
    try String(contentsOf: directory.appending(path: path), encoding: .utf8)
  }

  static func json(_ path: String) throws -> JSONObject {
    try #require(try JSON.parse(Array(text(path).utf8)).object)
  }

  /// The tests of a Wycheproof file, each with its group.
  static func wycheproof(_ name: String) throws -> [(group: JSONObject, test: JSONObject)] {
    let groups = try #require(try json("wycheproof/\(name).json")["testGroups"]?.array)
    return groups.compactMap(\.object).flatMap { group in
      (group["tests"]?.array ?? []).compactMap(\.object).map { (group, $0) }
    }
  }

  /// The blocks of a NIST response file: `Name = value` lines between empty lines.
  static func nist(_ name: String) throws -> [[String: String]] {
    try records("nist-ecdsa-186-3/\(name).rsp")
  }

  static func records(_ path: String) throws -> [[String: String]] {
    try text(path).components(separatedBy: "\n\n").map { block in
      var record: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let parts = line.components(separatedBy: " = ")
        if parts.count == 2 { record[parts[0]] = parts[1].trimmingCharacters(in: .whitespaces) }
      }
      return record
    }
    .filter { !$0.isEmpty }
  }
}

extension JSONObject {
  func hex(_ name: String) throws -> [UInt8] {
    try #require(Hex.decode(try text(name), case: .any))
  }

  func text(_ name: String) throws -> String {
    try #require(self[name]?.string)
  }

  var isValid: Bool { self["result"] == .string("valid") }
}

extension Dictionary<String, String> {
  /// A hex number of at most 32 bytes, padded to 32; longer ones as they are.
  func number(_ name: String) throws -> [UInt8] {
    let digits = try #require(self[name])
    let bytes = try #require(Hex.decode(digits.count % 2 == 0 ? digits : "0" + digits, case: .any))
    return [UInt8](repeating: 0, count: Swift.max(0, 32 - bytes.count)) + bytes
  }
}
