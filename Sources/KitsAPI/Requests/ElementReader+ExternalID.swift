internal import JSON
internal import KitsCore

extension ElementReader {
  /// A user's id; nil when it is refused.
  func externalID() -> ExternalID? {
    // Its own limits say more than these do.
    guard let text = string(bytes: 0...Limits.bodyBytes) else { return nil }
    do {
      return try ExternalID(checking: text)
    } catch {
      return refuse(error.jsonCode, error.detail)
    }
  }
}

extension ExternalID.Fault {
  fileprivate var jsonCode: JSONFault.Code {
    switch self {
    case .empty: .tooShort
    case .tooLong: .tooLong
    case .controlCharacter, .invisibleCharacter, .onlyWhiteSpace: .badFormat
    }
  }
}
