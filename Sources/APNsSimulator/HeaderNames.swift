import CNghttp2

/// Names of the fields that go back. Static strings live as long as the process, so nghttp2 need not copy them.
enum HeaderNames: CaseIterable {
  case status, date, id, uniqueID

  private var text: StaticString {
    switch self {
    case .status: ":status"
    case .date: "date"
    case .id: "apns-id"
    case .uniqueID: "apns-unique-id"
    }
  }

  /// The value is copied by nghttp2 when the answer is submitted.
  func field(_ value: UnsafeBufferPointer<UInt8>) -> nghttp2_nv {
    nghttp2_nv(
      name: UnsafeMutablePointer(mutating: text.utf8Start), value: UnsafeMutablePointer(mutating: value.baseAddress),
      namelen: text.utf8CodeUnitCount, valuelen: value.count, flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue))
  }

  static var okay: nghttp2_nv { constant("200") }
  static var badPath: nghttp2_nv { constant("404") }

  private static func constant(_ value: StaticString) -> nghttp2_nv {
    var field = status.field(UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    field.flags |= UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    return field
  }
}
