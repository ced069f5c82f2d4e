import CNghttp2

/// The header block of one answer: values side by side in one buffer, which nghttp2 copies while it is lent.
struct AnswerFields {
  private var bytes: [UInt8] = []
  private var entries: [(name: HeaderNames, end: Int)] = []

  mutating func add(_ name: HeaderNames, _ value: String) {
    bytes.append(contentsOf: value.utf8)
    entries.append((name, bytes.count))
  }

  func withFields(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void) {
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      let fields = entries.map { name, end in
        defer { start = end }
        return name.field(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      }
      fields.withUnsafeBufferPointer(body)
    }
  }
}
