/// One process of `kits serve`, and where it listens.
package struct ServeProcess: Sendable {
  private let process: KitsProcess
  /// 0 when it doesn't run the API.
  package let port: Int
  package let adminPort: Int

  /// Returns when it is ready.
  static func start(_ environment: [String: String], _ arguments: [String] = []) async throws -> ServeProcess {
    let process = try KitsProcess(["serve"] + arguments, environment: environment)
    let adminPort = try await eventually("kits listens") {
      if !process.isRunning { throw TestFailure("kits serve ended: \(await process.ending())") }
      return port(of: "admin", in: process.log)
    }
    let isReady = { try await HTTPCall("GET", "http://127.0.0.1:\(adminPort)/readyz").answer().status == 200 }
    _ = try await eventually("kits is ready") {
      if !process.isRunning { throw TestFailure("kits serve ended: \(await process.ending())") }
      return try await isReady() ? true : nil
    }
    return ServeProcess(process: process, port: port(of: "api", in: process.log) ?? 0, adminPort: adminPort)
  }

  package var log: String { process.log }

  package func signal(_ number: Int32) { process.signal(number) }

  package func ending() async -> KitsProcess.Ending { await process.ending() }

  package func isReady() async throws -> Bool {
    try await HTTPCall("GET", "http://127.0.0.1:\(adminPort)/readyz").answer().status == 200
  }

  private static func port(of listener: String, in log: String) -> Int? {
    let line = log.split(separator: "\n").first { $0.contains(#""http_listening","listener":"\#(listener)","port":"#) }
    return line?.split(separator: "\"port\":").last.flatMap { Int($0.prefix(while: \.isNumber)) }
  }
}
