internal import Crypto
internal import HTTPServer
internal import JSON
internal import KitsCore

/// What makes a repeated POST have one effect. Only its hash is kept.
struct IdempotencyKey: Sendable {
  /// SHA-256 of the key.
  let hash: [UInt8]

  private static let header = "Idempotency-Key"

  /// Any visible ASCII text, for keys that a customer's backend chooses; nil without the header.
  static func text(_ head: RequestHead) throws(Problem) -> IdempotencyKey? {
    guard let value = try only(head) else { return nil }
    guard Limits.idempotencyKeyBytes.contains(value.utf8.count),
      value.utf8.allSatisfy({ (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) })
    else { throw invalid("It must be 1 to 255 visible ASCII characters.") }
    return IdempotencyKey(hash: SHA256.hash(Array(value.utf8)))
  }

  /// A UUID, for keys that an SDK draws; nil without the header. Case doesn't matter.
  static func uuid(_ head: RequestHead) throws(Problem) -> IdempotencyKey? {
    guard let value = try only(head) else { return nil }
    guard let uuid = UUIDText.parse(value) else { throw invalid("It must be a UUID: 8-4-4-4-12 hex digits.") }
    return IdempotencyKey(hash: SHA256.hash(Array(UUIDText.format(uuid).utf8)))
  }

  private static func only(_ head: RequestHead) throws(Problem) -> String? {
    let values = head.headers.all(header)
    guard values.count <= 1 else { throw invalid("The header is there more than once.") }
    return values.first
  }

  private static func invalid(_ detail: String) -> Problem {
    Problem(
      .idempotencyKeyInvalid, "The Idempotency-Key is malformed.",
      fields: [KitsError.FieldFault(.parameter(header), .badFormat, detail)])
  }
}
