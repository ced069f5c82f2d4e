import Foundation
import JSON

/// Installations that are registered over HTTP, as their devices know them.
enum BenchDevices {
  private static let patience = 60.0

  static func register(
    _ count: Int, in app: BenchApp, stage: Stage, clients: Int
  ) throws(BenchError) -> [LoginRequest.Device] {
    let template = RegistrationRequest(publicKey: try stage.keys(app).publicKey, port: stage.apiPort)
    let loop = try ClosedLoop(clients, template.bytes, port: stage.apiPort)
    var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
    var left = count
    var bodies: [[UInt8]] = []
    try loop.run(
      patience: patience,
      next: { client, _ throws(BenchError) in
        guard left > 0 else { return false }
        left -= 1
        guard client.send({ template.renew($0, &random) }) else { throw BenchError("a client was not let in") }
        return true
      },
      answered: { client, status throws(BenchError) in
        guard status == 201 else { throw BenchError("a registration was answered \(client.text)") }
        bodies.append(client.body)
      })
    var devices: [LoginRequest.Device] = []
    for body in bodies { devices.append(try device(body)) }
    return devices
  }

  private static func device(_ body: [UInt8]) throws(BenchError) -> LoginRequest.Device {
    guard let object = (try? JSON.parse(body))?.object, let id = object["id"]?.string,
      let token = object["device_token"]?.string, let binding = object["binding"]?.object?["id"]?.string
    else { throw BenchError("a registration without token or binding") }
    return LoginRequest.Device(id: Array(id.utf8), token: Array(token.utf8), binding: Array(binding.utf8))
  }
}
