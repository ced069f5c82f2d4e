extension KitsError {
  /// What is wrong with one field. Stable, part of the API like `Code`.
  package enum FieldCode: String, Sendable, CaseIterable {
    case missing = "MISSING"
    case nullNotAllowed = "NULL_NOT_ALLOWED"
    case wrongType = "WRONG_TYPE"
    case unknownField = "UNKNOWN_FIELD"
    case tooShort = "TOO_SHORT"
    case tooLong = "TOO_LONG"
    case tooSmall = "TOO_SMALL"
    case tooLarge = "TOO_LARGE"
    case tooFew = "TOO_FEW"
    case tooMany = "TOO_MANY"
    case badFormat = "BAD_FORMAT"
    case notAllowed = "NOT_ALLOWED"
    case reserved = "RESERVED"
    case duplicate = "DUPLICATE"
    case conflict = "CONFLICT"
    case notFound = "NOT_FOUND"
  }
}
