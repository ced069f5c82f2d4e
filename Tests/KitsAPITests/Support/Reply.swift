import Foundation
import JSON

/// A response as it came over the wire.
struct Reply: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  let body: [UInt8]

  init(parsing bytes: [UInt8]) throws {
    let separator = Data("\r\n\r\n".utf8)
    guard let end = Data(bytes).range(of: separator) else { throw Malformed(bytes: bytes.count) }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
    body = Array(bytes[end.upperBound...])
  }

  struct Malformed: Error {
    let bytes: Int
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as an object; null when it is something else.
  var json: JSONValue { (try? JSON.parse(body)) ?? .null }

  var code: String? { json["code"]?.string }

  /// `/pointer CODE` of every entry of `errors`, in order.
  var faults: [String] {
    (json["errors"]?.array ?? []).map { entry in
      "\(entry["pointer"]?.string ?? entry["parameter"]?.string ?? "?") \(entry["code"]?.string ?? "?")"
    }
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? { object?[name] }

  func at(_ names: String...) -> JSONValue? {
    names.reduce(Optional(self)) { $0?[$1] }
  }
}
