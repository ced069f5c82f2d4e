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
      guard !text.unicodeScalars.contains(where: { $0.isControl && !$0.isBreak }) else {
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
    string(bytes: bytes, refuseControls: true)
  }
}

extension Unicode.Scalar {
  /// C0, DEL and C1.
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
  /// Tab, line feed, carriage return.
  fileprivate var isBreak: Bool { value == 0x09 || value == 0x0A || value == 0x0D }
}
