import Foundation
import HTTPServer
import JSON

/// Everything that is made from the options before the first client comes.
struct Setup {
  let listener: Listener
  let simulator: Simulator
  let admin: Server
  private let identity: ServerIdentity
  private let threads: Int

  init(_ options: Options) throws {
    let authority = try options.identityFile.map(TestAuthority.kept) ?? TestAuthority()
    if let path = options.certificateFile { try AtomicFile.write(Array(authority.certificatePEM.utf8), to: path) }
    identity = authority.server
    threads = options.threads
    listener = try Listener(address: options.address, port: options.port)

    var validation = ValidationRules()
    validation.environment = options.environment
    var state = SimulatorState(
      ledgerLimits: Ledger.Limits(remember: options.remember), validation: validation)
    try Self.load(options, into: &state)
    simulator = Simulator(
      isFast: options.isFast, state: state, mailboxes: (0..<options.threads).map { _ in Mailbox() })

    var limits = ServerLimits()
    // A wait of ten minutes is an answer that takes its time, not a stalled reader.
    limits.idleDeadline = .seconds(3_600)
    admin = Server(
      ServerConfiguration(host: "127.0.0.1", port: Int(options.adminPort), threads: 1, limits: limits),
      router: AdminRoutes(simulator: simulator, validation: validation).router)
  }

  func startWorkers() {
    for index in 0..<threads {
      let thread = Thread { [simulator, identity, socket = listener.descriptor] in
        do {
          try Worker(index: index, simulator: simulator, listener: index == 0 ? socket : nil, identity: identity).run()
        } catch {
          FileHandle.standardError.write(Data("apns-simulator: worker \(index): \(error)\n".utf8))
          exit(1)
        }
      }
      thread.name = "worker-\(index)"
      thread.start()
    }
  }

  private static func load(_ options: Options, into state: inout SimulatorState) throws {
    let keys = try options.keyFiles.flatMap(KeyReader.keys(file:)) + options.keys.map(KeyReader.key(option:))
    for key in keys where !state.keys.add(key) { throw UsageError("more than \(KeyRing.limit) keys") }
    guard let path = options.scriptFile else { return }
    let faults = FaultCollector()
    let object = ObjectReader(try ConfigurationFile.read(path), into: faults)
    state.laboratory.script = ScriptReader(base: state.baseValidation).script(object)
    try ConfigurationFile.check(faults, file: path)
  }
}
