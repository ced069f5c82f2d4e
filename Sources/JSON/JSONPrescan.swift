/// What has to be known before a parser allocates or converts anything: no byte 0 anywhere (libjansson takes one at the
/// end for the end), nesting within the limit, no real number that a double would change. In text that isn't JSON the
/// count may be wrong, but only after the place at which the parser stops anyway.
enum JSONPrescan {
  static func check(_ bytes: [UInt8], maxDepth: Int) throws(JSONSyntaxError) {
    var depth = 0
    var offset = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        offset = try endOfString(bytes, from: offset)
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > maxDepth {
          throw JSONSyntaxError(message: "The body nests deeper than \(maxDepth) levels.", byteOffset: offset)
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        offset = try endOfNumber(bytes, from: offset)
        continue
      case 0: throw byteZero(offset)
      default: break
      }
      offset += 1
    }
  }

  /// Behind the closing quotation mark, or the end of the bytes.
  private static func endOfString(_ bytes: [UInt8], from start: Int) throws(JSONSyntaxError) -> Int {
    var offset = start + 1
    while offset < bytes.count {
      switch bytes[offset] {
      case 0: throw byteZero(offset)
      case UInt8(ascii: "\""): return offset + 1
      case UInt8(ascii: "\\"):
        // Byte 0 may stand behind it too.
        offset += offset + 1 < bytes.count && bytes[offset + 1] != 0 ? 2 : 1
      default: offset += 1
      }
    }
    return offset
  }

  private static func endOfNumber(_ bytes: [UInt8], from start: Int) throws(JSONSyntaxError) -> Int {
    var end = start
    var isReal = false
    loop: while end < bytes.count {
      switch bytes[end] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isReal = true
      default: break loop
      }
      end += 1
    }
    if isReal, let literal = DecimalLiteral(bytes[start..<end]), !literal.isDouble {
      throw JSONSyntaxError(
        message: "A number would be changed: it is out of the range of a double or has more digits than one holds.",
        byteOffset: start)
    }
    return end
  }

  private static func byteZero(_ offset: Int) -> JSONSyntaxError {
    JSONSyntaxError(message: "The body contains byte 0.", byteOffset: offset)
  }
}
