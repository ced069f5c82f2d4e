package import Foundation

/// A running `apns-simulator` of one's own, on ports of its own, stopped when the value goes away.
///
/// ```swift
/// let key = SimulatorProcess.Key(keyID: "ABC123DEFG", teamID: "TEAM123456", publicKeyPEM: pem)
/// let simulator = try await SimulatorProcess(keys: [key])
/// // … connect to https://localhost:\(simulator.port), trusting simulator.certificateFile …
/// try await simulator.wait("accepted=3")
/// let pushes = try await simulator.get("/notifications?token=\(token)")
/// ```
package final class SimulatorProcess: Sendable {
  package struct Key: Sendable {
    let keyID: String
    let teamID: String
    let publicKeyPEM: String
    let topics: [String]
    let environment: String?

    package init(
      keyID: String, teamID: String, publicKeyPEM: String, topics: [String] = [], environment: String? = nil
    ) {
      self.keyID = keyID
      self.teamID = teamID
      self.publicKeyPEM = publicKeyPEM
      self.topics = topics
      self.environment = environment
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
      self.description = description
    }
  }

  /// For pushes: HTTP/2 over TLS on 127.0.0.1.
  package let port: Int
  package let adminPort: Int
  /// PEM of the authority that signed the server's certificate for localhost and Apple's two host names.
  package let certificateFile: String
  package let processID: Int32
  private let process: Process
  private let directory: String
  /// Held open: when this process ends, however it does, the simulator's input ends and so does the simulator.
  private let input: Pipe

  /// Starts the simulator and returns when it listens.
  /// - Parameter arguments: more of its command line, like `["--fast", "--threads", "2"]`.
  package init(arguments: [String] = [], keys: [Key] = []) async throws {
    let directory = NSTemporaryDirectory() + "apns-simulator-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let certificateFile = directory + "/ca.pem"
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = ["--end-with-stdin", "--ca-file", certificateFile] + arguments
    let output = Pipe()
    let input = Pipe()
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    guard let line = try await Self.firstLine(of: output), let ready = try Self.object(line),
      let port = ready["port"] as? Int, let adminPort = ready["admin_port"] as? Int
    else {
      process.terminate()
      throw Failure(description: "apns-simulator \(arguments) ended before it was ready")
    }
    self.port = port
    self.adminPort = adminPort
    self.certificateFile = certificateFile
    self.directory = directory
    processID = process.processIdentifier
    self.process = process
    self.input = input
    for key in keys { try await add(key) }
  }

  deinit {
    kill(processID, SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Asks it to end and returns its exit status.
  @discardableResult
  package func stop() async -> Int32 {
    kill(processID, SIGTERM)
    return await withCheckedContinuation { continuation in
      Thread { [process] in
        continuation.resume(returning: process.endedStatus())
      }.start()
    }
  }

  // MARK: - Admin port

  package func add(_ key: Key) async throws {
    var body: [String: Any] = ["key_id": key.keyID, "team_id": key.teamID, "public_key_pem": key.publicKeyPEM]
    if !key.topics.isEmpty { body["topics"] = key.topics }
    if let environment = key.environment { body["environment"] = environment }
    let bytes = try JSONSerialization.data(withJSONObject: body)
    try await post("/keys", json: String(decoding: bytes, as: UTF8.self))
  }

  /// The body of an answer with status 200.
  package func get(_ target: String) async throws -> [String: Any] {
    try await expect200("GET", target, nil)
  }

  @discardableResult
  package func post(_ target: String, json: String? = nil) async throws -> [String: Any] {
    try await expect200("POST", target, json)
  }

  @discardableResult
  package func delete(_ target: String) async throws -> [String: Any] {
    try await expect200("DELETE", target, nil)
  }

  package func stats() async throws -> [String: Any] { try await get("/stats") }

  /// One count of `GET /stats`.
  package func count(_ name: String) async throws -> Int {
    guard let value = try await stats()[name] as? Int else { throw Failure(description: "no count \(name)") }
    return value
  }

  /// How often a reason was given.
  package func count(reason: String) async throws -> Int {
    (try await stats()["reasons"] as? [String: Int])?[reason] ?? 0
  }

  /// The notifications taken for a device, the newest first.
  package func notifications(token: String, limit: Int = 100) async throws -> [[String: Any]] {
    try await get("/notifications?token=\(token)&limit=\(limit)")["notifications"] as? [[String: Any]] ?? []
  }

  /// Returns when all counts are reached, e.g. `accepted=3&connections_opened=2`; throws after the timeout.
  package func wait(_ condition: String, milliseconds: Int = 30_000) async throws {
    _ = try await get("/wait?\(condition)&timeout_ms=\(milliseconds)")
  }

  /// Status and body of any admin request, without judging either.
  package func admin(_ method: String, _ target: String, _ json: String? = nil) async throws -> (Int, Data) {
    try await Self.onThread { [adminPort] in
      try AdminClient.request(port: adminPort, method, target, json)
    }
  }

  private func expect200(_ method: String, _ target: String, _ json: String?) async throws -> [String: Any] {
    let (status, body) = try await admin(method, target, json)
    guard status == 200, let object = try Self.object(body) else {
      throw Failure(description: "\(method) \(target): \(status) \(String(decoding: body, as: UTF8.self))")
    }
    return object
  }

  private static func object(_ data: Data) throws -> [String: Any]? {
    try JSONSerialization.jsonObject(with: data) as? [String: Any]
  }

  // MARK: - Process

  /// The binary beside the test bundle: SwiftPM puts all products of one build into one directory.
  private static var executable: URL {
    let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    let bundle = arguments.first { $0.pathExtension == "xctest" } ?? arguments[0]
    let beside = bundle.deletingLastPathComponent().appendingPathComponent("apns-simulator")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    // Started by a helper program elsewhere: the build directory of this package.
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../.build/debug/apns-simulator").standardizedFileURL
  }

  private static func firstLine(of pipe: Pipe) async throws -> Data? {
    let handle = pipe.fileHandleForReading
    return try await onThread {
      var line = Data()
      while let byte = try handle.read(upToCount: 1), !byte.isEmpty {
        if byte[byte.startIndex] == 0x0A { return line }
        line.append(byte)
      }
      return nil
    }
  }

  /// Blocking calls get a thread of their own, never one of Swift's.
  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try body() }) }.start()
    }
  }
}

/// Just enough HTTP/1.1 for the admin port: one request, one connection.
private enum AdminClient {
  static func request(port: Int, _ method: String, _ target: String, _ json: String?) throws -> (Int, Data) {
    let socket = try connect(port: port)
    defer { close(socket) }
    let body = Array((json ?? "").utf8)
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
    if method != "GET" { head += "Content-Length: \(body.count)\r\nContent-Type: application/json\r\n" }
    try write(Array((head + "\r\n").utf8) + (method == "GET" ? [] : body), to: socket)
    let answer = try readAll(socket)
    guard let end = answer.range(of: Data("\r\n\r\n".utf8)),
      let status = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: " ").dropFirst().first,
      let code = Int(status)
    else { throw SimulatorProcess.Failure(description: "\(method) \(target): no answer") }
    return (code, answer[end.upperBound...])
  }

  private static func connect(port: Int) throws -> Int32 {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      close(socket)
      throw SimulatorProcess.Failure(description: "admin port \(port): \(String(cString: strerror(errno)))")
    }
    return socket
  }

  private static func write(_ bytes: [UInt8], to socket: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw SimulatorProcess.Failure(description: "admin port: write failed") }
      rest = rest.dropFirst(count)
    }
  }

  private static func readAll(_ socket: Int32) throws -> Data {
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0 { throw SimulatorProcess.Failure(description: "admin port: read failed") }
      if count == 0 { return answer }
      answer.append(contentsOf: buffer[..<count])
    }
  }
}
