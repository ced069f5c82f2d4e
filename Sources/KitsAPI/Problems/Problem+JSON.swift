internal import JSON
internal import KitsCore

extension Problem {
  init(_ error: JSONSyntaxError) {
    self.init(.invalidJSON, error.message)
  }

  /// All wrong fields of a body at once; nil when there are none.
  init?(_ collector: FaultCollector) {
    guard let error = KitsError(collector) else { return nil }
    self.init(error)
  }
}

extension JSONFault.Code {
  /// The name that the contract gives this kind of fault.
  var fieldCode: KitsError.FieldCode {
    switch self {
    case .missing: .missing
    case .nullNotAllowed: .nullNotAllowed
    case .wrongType: .wrongType
    case .tooLong: .tooLong
    case .tooShort: .tooShort
    case .tooLarge: .tooLarge
    case .tooSmall: .tooSmall
    case .tooMany: .tooMany
    case .tooFew: .tooFew
    case .badFormat: .badFormat
    case .notAllowed: .notAllowed
    case .unknownField: .unknownField
    case .duplicate: .duplicate
    case .conflict: .conflict
    case .reserved: .reserved
    }
  }
}
