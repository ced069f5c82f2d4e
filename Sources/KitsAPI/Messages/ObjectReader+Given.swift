internal import JSON

extension ObjectReader {
  /// The member, unless it is absent or null, which mean the same in a POST.
  func given(_ name: String) -> ElementReader? {
    guard let member = member(name), !member.isNull else { return nil }
    return member
  }

  /// Optional: a string without control characters.
  func line(_ name: String, bytes: ClosedRange<Int>) -> String? {
    given(name)?.line(bytes: bytes)
  }

  /// Optional: a string that a person reads; it may have line breaks and tabs.
  func text(_ name: String, bytes: ClosedRange<Int>) -> String? {
    given(name)?.string(bytes: bytes).flatMap { text in
      guard !text.utf8.contains(where: { $0.isControl && !$0.isBreak }) else {
        refuse(name, .badFormat, "Of the control characters it may have only line breaks and tabs.")
        return nil
      }
      return text
    }
  }
}

extension ElementReader {
  /// A string without control characters.
  func line(bytes: ClosedRange<Int>) -> String? {
    guard let text = string(bytes: bytes) else { return nil }
    guard !text.utf8.contains(where: \.isControl) else {
      return refuse(.badFormat, "It must not contain control characters.")
    }
    return text
  }
}

extension UInt8 {
  /// U+0000 to U+001F and U+007F. In UTF-8 these bytes are nothing else.
  fileprivate var isControl: Bool { self < 0x20 || self == 0x7F }
  /// Tab, line feed, carriage return.
  fileprivate var isBreak: Bool { self == 0x09 || self == 0x0A || self == 0x0D }
}
