internal import CCurl
import Glibc

/// Collects one request as the NUL-ended bytes that libcurl reads: path, header lines, body.
///
/// One per transfer and reused, so that a request costs no allocation. It belongs to the loop thread of its connection.
package final class RequestWriter {
  private static let headerLimit = 24
  private static let initialCapacity = 8_192

  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0
  private var lines: [Int] = []
  private let nodes: UnsafeMutablePointer<curl_slist>
  private var targetStart = 0
  private var bodyStart = 0
  private(set) var bodyCount = 0
  /// What the connection shows in its requests at the moment; empty when there is nothing.
  package internal(set) var credential = ""
  /// False once something was written that can't go on the wire.
  private(set) var isValid = true

  init() {
    capacity = Self.initialCapacity
    bytes = .allocate(capacity: capacity)
    nodes = .allocate(capacity: Self.headerLimit)
    lines.reserveCapacity(Self.headerLimit)
  }

  deinit {
    bytes.deallocate()
    nodes.deallocate()
  }

  /// The path, from `/`; written first.
  package func path(_ first: StaticString, _ second: String = "") {
    reset()
    append(first)
    append(second, isValid: Self.isPathByte)
    end()
  }

  package func header(_ name: StaticString, _ value: String) {
    startLine(name)
    append(value, isValid: Self.isHeaderByte)
    if value.isEmpty { isValid = false }
    end()
  }

  package func header(_ name: StaticString, _ prefix: StaticString, _ value: String) {
    startLine(name)
    append(prefix)
    append(value, isValid: Self.isHeaderByte)
    end()
  }

  package func header(_ name: StaticString, _ value: Int64) {
    startLine(name)
    appendDecimal(value)
    end()
  }

  /// The body; written last. An empty body is invalid: without one libcurl would never ask, and a request that was
  /// never handed over couldn't be told from one that was.
  package func body(_ content: [UInt8]) {
    bodyStart = count
    bodyCount = content.count
    if content.isEmpty { isValid = false }
    content.withUnsafeBufferPointer { append($0) }
  }

  // MARK: - What the transfer reads

  var target: UnsafeRawPointer { UnsafeRawPointer(bytes + targetStart) }

  func body(from offset: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + bodyStart + offset, count: bodyCount - offset)
  }

  /// Links the lines into libcurl's list; valid until the next request is written.
  func headerList() -> UnsafeRawPointer? {
    guard !lines.isEmpty else { return nil }
    for (index, start) in lines.enumerated() {
      let text = UnsafeMutableRawPointer(bytes + start).assumingMemoryBound(to: CChar.self)
      let next = index + 1 < lines.count ? nodes + index + 1 : nil
      (nodes + index).initialize(to: curl_slist(data: text, next: next))
    }
    return UnsafeRawPointer(nodes)
  }

  // MARK: - Bytes

  private func reset() {
    count = 0
    lines.removeAll(keepingCapacity: true)
    bodyCount = 0
    isValid = true
    // libcurl would send `accept: */*` by itself; a line without a value removes it.
    lines.append(count)
    append("accept:" as StaticString)
    end()
    targetStart = count
  }

  private func startLine(_ name: StaticString) {
    guard lines.count < Self.headerLimit else { return isValid = false }
    lines.append(count)
    append(name)
    append(": " as StaticString)
  }

  private func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private func append(_ text: String, isValid accepts: (UInt8) -> Bool) {
    var text = text
    text.withUTF8 { buffer in
      if !buffer.allSatisfy(accepts) { isValid = false }
      append(buffer)
    }
  }

  private func append(_ buffer: UnsafeBufferPointer<UInt8>) {
    guard let base = buffer.baseAddress else { return }
    reserve(buffer.count + 1)
    memcpy(bytes + count, base, buffer.count)
    count += buffer.count
  }

  private func appendDecimal(_ value: Int64) {
    reserve(24)
    if value < 0 {
      bytes[count] = UInt8(ascii: "-")
      count += 1
    }
    var rest = value.magnitude
    let start = count
    repeat {
      bytes[count] = UInt8(ascii: "0") + UInt8(rest % 10)
      count += 1
      rest /= 10
    } while rest > 0
    var digits = UnsafeMutableBufferPointer(start: bytes + start, count: count - start)
    digits.reverse()
  }

  private func end() {
    reserve(1)
    bytes[count] = 0
    count += 1
  }

  private func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    memcpy(larger, bytes, count)
    bytes.deallocate()
    bytes = larger
  }

  private static func isHeaderByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f }

  /// Unreserved characters, `/` and `%`: what a path built from checked parts consists of.
  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
