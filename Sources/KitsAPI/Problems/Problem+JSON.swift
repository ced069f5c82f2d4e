internal import JSON
internal import KitsCore

extension Problem {
  init(_ error: JSONSyntaxError) {
    self.init(.invalidJSON, error.message)
  }

  /// All wrong fields of a body at once; nil when there are none.
  init?(_ collector: FaultCollector) {
    guard !collector.isEmpty else { return nil }
    let count = collector.faults.count + collector.omitted
    self.init(
      .bodyInvalid, count == 1 ? "1 field is invalid." : "\(count) fields are invalid.",
      fields: collector.faults.map { KitsError.FieldFault(.pointer($0.pointer), $0.code.fieldCode, $0.detail) })
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
