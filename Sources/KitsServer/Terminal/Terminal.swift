import Glibc

/// What the other end of a descriptor can show.
struct Terminal: Sendable, Equatable {
  /// SGR parameters.
  enum Color: Int, Sendable {
    case red = 31
    case green = 32
    case cyan = 36
  }

  let isTerminal: Bool
  let hasColors: Bool
  let columns: Int

  static let defaultColumns = 80

  static func of(_ descriptor: Int32, environment: [String: String]) -> Terminal {
    guard isatty(descriptor) == 1, environment["TERM"] != "dumb" else {
      return Terminal(isTerminal: false, hasColors: false, columns: defaultColumns)
    }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    // no-color.org: present and not empty means no colours.
    let wantsColors = environment["NO_COLOR", default: ""].isEmpty
    return Terminal(
      isTerminal: true, hasColors: wantsColors, columns: isKnown ? Int(size.ws_col) : defaultColumns)
  }

  func colored(_ text: String, _ color: Color) -> String {
    hasColors && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }
}
