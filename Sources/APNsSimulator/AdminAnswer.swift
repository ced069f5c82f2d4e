import HTTPServer
import JSON

/// Answers of the admin port, all of them JSON.
enum AdminAnswer {
  static let done = json(Array("{\"ok\":true}".utf8))

  static func json(_ bytes: [UInt8], status: Int = 200) -> Response {
    Response(status: status, headers: Headers([("Content-Type", "application/json")]), body: bytes + [0x0A])
  }

  static func refused(_ status: Int, _ text: String) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("error", text)
    writer.endObject()
    return json(writer.bytes, status: status)
  }

  /// Reads the body as an object and acts on it only when nothing in it is wrong; else tells everything that is.
  static func reading<Value>(
    _ request: Request, _ read: (ObjectReader) -> Value, act: (Value) -> Response
  ) -> Response {
    let faults = FaultCollector()
    let value: Value
    do {
      value = read(ObjectReader(try JSON.parse(request.body), into: faults))
    } catch {
      return refused(400, "\(error.message) (at byte \(error.byteOffset))")
    }
    if faults.isEmpty { return act(value) }
    return refused(422, faults.faults.map { "\($0.pointer): \($0.detail)" }.joined(separator: " "))
  }
}
