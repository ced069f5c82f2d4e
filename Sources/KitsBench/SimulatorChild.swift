import Foundation
import JSON

/// A running `apns-simulator`.
final class SimulatorChild {
  let child: Child
  let certificateFile: String
  private(set) var port = 0
  private(set) var adminPort = 0
  private let readyFile: String

  init(_ name: String, in directory: String, arguments: [String]) throws(BenchError) {
    certificateFile = "\(directory)/\(name)-ca.pem"
    readyFile = "\(directory)/\(name)-ready"
    child = try Stage.start(
      [Stage.programs + "/apns-simulator", "--ca-file", certificateFile, "--ready-file", readyFile] + arguments, [:],
      log: "\(directory)/\(name).log")
  }

  func waitUntilReady() throws(BenchError) {
    let start = Moment.monotonic
    while Moment.seconds(since: start) < 60, child.isRunning {
      if let ready = (try? JSON.parse(Array(TextFile.read(readyFile).trimmingCharacters(in: .newlines).utf8)))?.object,
        let port = ready["port"]?.integer, let adminPort = ready["admin_port"]?.integer
      {
        (self.port, self.adminPort) = (Int(port), Int(adminPort))
        return
      }
      usleep(10_000)
    }
    throw BenchError("apns-simulator did not become ready")
  }

  /// A count of `GET /stats`.
  func count(_ name: String) throws(BenchError) -> Int {
    let stats = try HTTPWire(port: adminPort).get("/stats")
    guard let count = stats[name]?.integer else { throw BenchError("the simulator has no count \(name)") }
    return Int(count)
  }

  func reset() throws(BenchError) { try HTTPWire(port: adminPort).post("/reset") }
}
