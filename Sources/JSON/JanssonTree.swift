import CJansson

/// Parses with libjansson and copies its tree into values, so that no pointer leaves this file.
enum JanssonTree {
  private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)

  static func load(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
    var error = json_error_t()
    let root = bytes.withUnsafeBytes { buffer in
      // An empty array may have no address, and libjansson asks for one.
      json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText, buffer.count, flags, &error)
    }
    guard let root else { throw problem(&error) }
    defer { json_decref(root) }
    return value(root)
  }

  // A constant that is only ever read.
  private static nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    text.initialize(to: 0)
    return UnsafePointer(text)
  }()

  private static func value(_ node: UnsafeMutablePointer<json_t>) -> JSONValue {
    switch node.pointee.type {
    case JSON_OBJECT: .object(object(node))
    case JSON_ARRAY: .array(array(node))
    case JSON_STRING: .string(text(json_string_value(node), json_string_length(node)))
    case JSON_INTEGER: .integer(Int64(json_integer_value(node)))
    case JSON_REAL: .real(json_real_value(node))
    case JSON_TRUE: .bool(true)
    case JSON_FALSE: .bool(false)
    default: .null
    }
  }

  private static func object(_ node: UnsafeMutablePointer<json_t>) -> JSONObject {
    var members: [JSONObject.Member] = []
    members.reserveCapacity(json_object_size(node))
    var iterator = json_object_iter(node)
    while let current = iterator {
      if let child = json_object_iter_value(current) {
        members.append((text(json_object_iter_key(current), json_object_iter_key_len(current)), value(child)))
      }
      iterator = json_object_iter_next(node, current)
    }
    return JSONObject(distinct: members)
  }

  private static func array(_ node: UnsafeMutablePointer<json_t>) -> [JSONValue] {
    let count = json_array_size(node)
    var elements: [JSONValue] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      if let child = json_array_get(node, index) { elements.append(value(child)) }
    }
    return elements
  }

  /// libjansson has checked the bytes: nothing is replaced here.
  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    guard let start else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Own sentences, because libjansson's quote the body.
  private static func problem(_ error: inout json_error_t) -> JSONSyntaxError {
    let code = json_error_code(rawValue: UInt32(bitPattern: kits_json_error_code(&error)))
    let message =
      switch code {
      case json_error_invalid_utf8: "The body isn't valid UTF-8."
      case json_error_premature_end_of_input: "The body ends in the middle of a value."
      case json_error_end_of_input_expected: "Something follows the value."
      case json_error_null_character, json_error_null_byte_in_key: "A string contains U+0000."
      case json_error_duplicate_key: "An object has the same member twice."
      case json_error_numeric_overflow: "A number is out of range."
      case json_error_stack_overflow: "The body nests too deeply."
      case json_error_out_of_memory: "The body can't be held in memory."
      default: "The body isn't valid JSON."
      }
    return JSONSyntaxError(message: message, byteOffset: max(0, Int(error.position)))
  }
}
