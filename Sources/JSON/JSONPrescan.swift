/// What has to be known before a parser allocates anything: no byte 0 anywhere (libjansson takes one at the end for the
/// end), and nesting within the limit. In text that isn't JSON the count may be wrong, but only after the place at
/// which the parser stops anyway.
enum JSONPrescan {
  static func check(_ bytes: [UInt8], maxDepth: Int) throws(JSONSyntaxError) {
    var depth = 0
    var inString = false
    var escaped = false
    for (offset, byte) in bytes.enumerated() {
      if byte == 0 { throw JSONSyntaxError(message: "The body contains byte 0.", byteOffset: offset) }
      if inString {
        if escaped {
          escaped = false
        } else if byte == UInt8(ascii: "\\") {
          escaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > maxDepth {
          throw JSONSyntaxError(message: "The body nests deeper than \(maxDepth) levels.", byteOffset: offset)
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
  }
}
