internal import JSON
internal import KitsCore

extension JSONWriter {
  /// A time as the API writes all of them: UTC with exactly three digits of milliseconds.
  mutating func member(_ name: String, _ time: Timestamp) {
    member(name, time.milliseconds)
  }

  /// A time, or null.
  mutating func member(_ name: String, _ time: Timestamp?) {
    member(name, time?.milliseconds)
  }

  /// A public id.
  mutating func member<Entity>(_ name: String, _ id: Identifier<Entity>) {
    member(name, id.uuid)
  }
}

extension Timestamp {
  private static let microsecondsPerMillisecond: Int64 = 1_000
  /// `2026-11-30T08:15:30Z`
  private static let lengthWithoutFraction = 20

  /// As a JSON value by itself.
  var jsonText: [UInt8] { Array("\"\(milliseconds)\"".utf8) }

  /// As it is written outside of JSON.
  var text: String { milliseconds }

  fileprivate var milliseconds: String {
    let rest = microseconds % Self.microsecondsPerMillisecond
    let cut = microseconds - (rest < 0 ? rest + Self.microsecondsPerMillisecond : rest)
    let text = RFC3339.format(cut)
    return text.utf8.count == Self.lengthWithoutFraction ? text.dropLast() + ".000Z" : text
  }
}
