/// One thing that is wrong with one member of a request.
package struct JSONFault: Sendable, Equatable {
  /// What kind of thing; the raw value is part of the API.
  package enum Code: String, Sendable, CaseIterable {
    case missing
    case nullNotAllowed = "null_not_allowed"
    case wrongType = "wrong_type"
    case tooLong = "too_long"
    case tooShort = "too_short"
    case tooLarge = "too_large"
    case tooSmall = "too_small"
    case tooMany = "too_many"
    case tooFew = "too_few"
    case badFormat = "bad_format"
    case notAllowed = "not_allowed"
    case unknownField = "unknown_field"
    case duplicate
    case conflict
    case reserved
  }

  /// The JSON pointer (RFC 6901) of the member.
  package let pointer: String
  /// The kind.
  package let code: Code
  /// A sentence that never quotes the value.
  package let detail: String

  /// Names a fault.
  package init(pointer: String, code: Code, detail: String) {
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}
