import Glibc
import Testing

@testable import KitsServer

@Suite("Service group")
struct ServiceGroupTests {
  /// What happened, in order.
  final class Journal: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
  }

  struct Failure: Error {}

  /// Runs until stopped; can fail at each step.
  final class Probe: Service {
    let name: String
    let journal: Journal
    let startFails: Bool
    let runFails: Bool
    let ignoresStop: Bool
    let startHangs: Bool
    private let (ended, end) = AsyncStream.makeStream(of: Void.self)

    init(
      _ name: String, _ journal: Journal, startFails: Bool = false, runFails: Bool = false, ignoresStop: Bool = false,
      startHangs: Bool = false
    ) {
      self.name = name
      self.journal = journal
      self.startFails = startFails
      self.runFails = runFails
      self.ignoresStop = ignoresStop
      self.startHangs = startHangs
    }

    func start() async throws {
      journal.note("start \(name)")
      if startFails { throw Failure() }
      // Ignores cancellation on purpose.
      if startHangs { await Task { [ended] in for await _ in ended {} }.value }
    }

    func run() async throws {
      if runFails { throw Failure() }
      await Task { [ended] in for await _ in ended {} }.value
      journal.note("ended \(name)")
    }

    func stop() async {
      journal.note("stop \(name)")
      if !ignoresStop { end.finish() }
    }
  }

  /// Runs a group that gets SIGTERM once the service `last` has started.
  static func run(
    _ services: [any Service], signalAfter last: String? = nil, drain: Duration = .seconds(30), _ journal: Journal
  ) async -> ExitCode {
    let (signals, signal) = AsyncStream.makeStream(of: Int32.self)
    let group = ServiceGroup(services: services, drain: drain) { event in
      switch event {
      case .started(last): signal.yield(SIGTERM)
      case .failed(let name, _): journal.note("failed \(name)")
      case .drainDeadlineExceeded(let names): journal.note("abandoned \(names.joined(separator: " "))")
      case .signalled(let number): journal.note("signal \(number)")
      default: break
      }
    }
    return await group.run(until: signals)
  }

  @Test("Services start in order and stop in reverse, each ended before the next stops; exit 0")
  func order() async {
    let journal = Journal()
    let services = ["a", "b", "c"].map { Probe($0, journal) }
    #expect(await Self.run(services, signalAfter: "c", journal) == .success)
    #expect(
      journal.all == [
        "start a", "start b", "start c", "signal 15", "stop c", "ended c", "stop b", "ended b", "stop a", "ended a",
      ])
  }

  @Test("A service that fails while running stops the group; exit 1")
  func runFailure() async {
    let journal = Journal()
    let services = [Probe("a", journal), Probe("b", journal, runFails: true)]
    #expect(await Self.run(services, journal) == .failure)
    #expect(journal.all == ["start a", "start b", "failed b", "stop b", "stop a", "ended a"])
  }

  @Test("A service that can't start stops those before it and keeps later ones from starting; exit 1")
  func startFailure() async {
    let journal = Journal()
    let services = [Probe("a", journal), Probe("b", journal, startFails: true), Probe("c", journal)]
    #expect(await Self.run(services, journal) == .failure)
    #expect(journal.all == ["start a", "start b", "failed b", "stop a", "ended a"])
  }

  @Test("A service that doesn't stop is abandoned at the deadline; exit 1")
  func deadline() async {
    let journal = Journal()
    let services = [Probe("a", journal), Probe("b", journal, ignoresStop: true), Probe("c", journal)]
    let code = await Self.run(services, signalAfter: "c", drain: .seconds(1), journal)
    #expect(code == .failure)
    #expect(
      journal.all == ["start a", "start b", "start c", "signal 15", "stop c", "ended c", "stop b", "abandoned a b"])
  }

  @Test("A signal during a start that hangs stops what runs; exit 0")
  func signalDuringStart() async {
    let journal = Journal()
    let services = [Probe("a", journal), Probe("b", journal, startHangs: true), Probe("c", journal)]
    #expect(await Self.run(services, signalAfter: "a", journal) == .success)
    #expect(journal.all.filter { $0 != "start b" } == ["start a", "signal 15", "stop a", "ended a"])
  }

  @Test("A failure of a running service ends the wait for a start that hangs; exit 1")
  func failureDuringStart() async {
    let journal = Journal()
    let services = [Probe("a", journal, runFails: true), Probe("b", journal, startHangs: true)]
    #expect(await Self.run(services, journal) == .failure)
    #expect(journal.all.filter { $0 != "start b" } == ["start a", "failed a", "stop a"])
  }
}
