import Crypto
import Foundation
import JSON

/// What is measured, started for that: PostgreSQL, two APNs simulators, a server, its apps, one key.
///
/// The simulator for `production` only counts, so that it never holds back what is measured; the one for `sandbox`
/// checks each request and notes when it came.
final class Stage {
  let root: String
  let directory: String
  let databaseURL: String
  let database: Database
  private let postmaster: pid_t
  let apiPort: Int
  let adminPort: Int
  private(set) var simulator: SimulatorChild
  private(set) var checkingSimulator: SimulatorChild
  private(set) var server: Child
  let credential: ProviderCredential
  private var apps: [BenchApp: AppKeys] = [:]
  private(set) var serverKey = ""
  private let janitor: Janitor
  private let environment: [String: String]
  private let masterKey = SystemRandom.bytes(32)

  private static let masterKeyID = "bench"

  struct AppKeys {
    let id: String
    let number: Int
    let publicKey: String
  }

  static let bundleID = "com.example.bench"
  /// Notifications that the checking simulator keeps: a message to everyone and thousands to single devices.
  private static let remembered = 500_000

  init() throws(BenchError) {
    root = try Self.findRoot()
    directory = try Self.makeDirectory()
    janitor = try Janitor(root: root, directory: directory)
    let postgres = root + "/deploy/postgres"
    _ = try Child.output(
      of: [postgres, "start", directory + "/postgres", "0"], environment: Child.variables(["KITS_POSTGRES_OPTIONS"]))
    databaseURL = try Child.output(of: [postgres, "url", directory + "/postgres"]).trimmingCharacters(in: .newlines)
    database = try Database(url: databaseURL)
    // The first line of the file is the postmaster's process id.
    let pidFile = try database.value("SELECT pg_read_file(current_setting('data_directory') || '/postmaster.pid')")
    postmaster = pid_t(pidFile.prefix { $0 != "\n" }) ?? 0

    let key = P256PrivateKey()
    credential = ProviderCredential(keyFile: directory + "/key.p8", publicKeyFile: directory + "/key-public.pem")
    try TextFile.write(key.pkcs8PEM, to: credential.keyFile)
    try TextFile.write(key.publicKey.spkiPEM, to: credential.publicKeyFile)
    let trust = "\(credential.keyID):\(credential.teamID):\(credential.publicKeyFile)"
    simulator = try SimulatorChild("fast", in: directory, arguments: ["--key", trust, "--fast"])
    janitor.watch(simulator.child)
    checkingSimulator = try SimulatorChild(
      "checking", in: directory, arguments: ["--key", trust, "--remember", "\(Self.remembered)"])
    janitor.watch(checkingSimulator.child)

    (apiPort, adminPort) = (try Loopback.freePort(), try Loopback.freePort())
    let anchors = directory + "/apns-ca.pem"
    try simulator.waitUntilReady()
    try checkingSimulator.waitUntilReady()
    try TextFile.write(
      TextFile.read(simulator.certificateFile) + TextFile.read(checkingSimulator.certificateFile), to: anchors)
    environment = [
      "KITS_DATABASE_URL": databaseURL, "KITS_LISTEN": "127.0.0.1:\(apiPort)",
      "KITS_ADMIN_LISTEN": "127.0.0.1:\(adminPort)", "KITS_RATE_SERVER_KEY": "off", "KITS_RATE_INSTALLATION": "off",
      "KITS_RATE_EVENTS": "off", "KITS_MASTER_KEYS": "\(Self.masterKeyID):\(Base64.encode(masterKey))",
      "KITS_APNS_PRODUCTION_URL": "https://localhost:\(simulator.port)",
      "KITS_APNS_SANDBOX_URL": "https://localhost:\(checkingSimulator.port)", "KITS_APNS_CA": anchors,
    ]
    let operators = OperatorCommands(kits: Self.kits, environment: environment)
    try operators.migrate()
    let place = try operators.createProject()
    for app in BenchApp.allCases {
      let made = try operators.createApp("bench \(app)", in: place, bundleID: Self.bundleID, credential)
      let number = try database.number("SELECT app_no FROM app WHERE app_id = '\(made.id)'")
      apps[app] = AppKeys(id: made.id, number: number, publicKey: made.publicKey)
    }
    serverKey = try operators.createKey(in: place)
    server = try Self.startServer(environment, directory)
    janitor.watch(server)
    try waitUntilReady()
  }

  /// Ends everything and removes it.
  func close() { janitor.clean([simulator.child, checkingSimulator.child, server]) }

  func keys(_ app: BenchApp) throws(BenchError) -> AppKeys {
    guard let keys = apps[app] else { throw BenchError("no app \(app)") }
    return keys
  }

  /// The server's own keys, for tokens that it believes.
  func ring() throws(BenchError) -> KeyRing {
    do {
      return try KeyRing(masterKeys: [(id: Self.masterKeyID, secret: masterKey)], mintingID: Self.masterKeyID)
    } catch {
      throw BenchError("no keys: \(error)")
    }
  }

  /// What the server rendered for the app's newest message.
  func payload(of app: BenchApp) throws(BenchError) -> String {
    try database.value(
      """
      SELECT encode(payloads[1], 'escape')
      FROM message_body
      WHERE app_no = \(keys(app).number)
      ORDER BY message_no DESC
      LIMIT 1
      """)
  }

  /// Starts a command of `kits` with the settings of the server. What it prints goes nowhere.
  func command(_ arguments: [String]) throws(BenchError) -> Child {
    try Child([Self.kits] + arguments, environment: environment)
  }

  /// Ends the server with a signal and starts it again, with more settings.
  func restart(with number: Int32, _ settings: [String: String] = [:]) throws(BenchError) {
    server.signal(number)
    server.wait()
    janitor.forget(server)
    server = try Self.startServer(environment.merging(settings) { $1 }, directory)
    janitor.watch(server)
    try waitUntilReady()
  }

  /// Of the database with all its connections.
  var databaseCPUSeconds: Double { ProcessTimes.family(of: postmaster).seconds }

  /// Runs something that opens connections, and returns when their processes have ended: only then their time counts.
  func whileConnecting<Value>(_ body: () throws(BenchError) -> Value) throws(BenchError) -> Value {
    let members = ProcessTimes.family(of: postmaster).members
    let value = try body()
    let end = Moment.monotonic
    while ProcessTimes.family(of: postmaster).members > members, Moment.seconds(since: end) < 2 { usleep(5_000) }
    return value
  }

  /// psql on the private database.
  var psql: [String] { ["psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--dbname=\(databaseURL)"] }

  /// Starts a program whose output goes into a log.
  static func start(_ arguments: [String], _ environment: [String: String], log: String) throws(BenchError) -> Child {
    let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchError("\(log) can't be written") }
    defer { Glibc.close(descriptor) }
    return try Child(arguments, environment: environment, output: descriptor, mergesErrors: true)
  }

  private static func startServer(_ environment: [String: String], _ directory: String) throws(BenchError) -> Child {
    try start([kits, "serve"], environment, log: directory + "/kits.log")
  }

  private static var kits: String { programs + "/kits" }

  /// Where this program and the others were built.
  static var programs: String {
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    return (path as NSString).deletingLastPathComponent
  }

  private static func findRoot() throws(BenchError) -> String {
    var place = programs
    while place != "/" && !place.isEmpty {
      if FileManager.default.isExecutableFile(atPath: place + "/deploy/postgres") { return place }
      place = (place as NSString).deletingLastPathComponent
    }
    throw BenchError("deploy/postgres is not above \(programs)")
  }

  private static func makeDirectory() throws(BenchError) -> String {
    var template = Array((NSTemporaryDirectory() + "kits-bench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("no temporary directory") }
    // The database's own user has to get through.
    chmod(template, 0o711)
    return template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private func waitUntilReady() throws(BenchError) {
    let start = Moment.monotonic
    while Moment.seconds(since: start) < 60, server.isRunning {
      if let wire = try? HTTPWire(port: adminPort), (try? wire.call("GET", "/readyz").status) == 200 { return }
      usleep(20_000)
    }
    throw BenchError("kits serve did not become ready:\n\(TextFile.read(directory + "/kits.log").suffix(2_000))")
  }
}
