/// The command line, parsed once.
struct BenchOptions {
  var parts = Set(Part.allCases)
  var installations = 200_000
  var memoryInstallations = 1_000_000
  var seconds = 9
  var rounds = 3
  var jsonFile: String?
  var wantsHelp = false
  var keepsRunning = false

  init(_ arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      switch flag {
      case "--help", "-h": wantsHelp = true
      case "--keep": keepsRunning = true
      case "--only": parts = try Self.parts(Self.value(of: flag, &rest))
      case "--installations": installations = try Self.number(of: flag, &rest, in: 1_000...10_000_000)
      case "--memory-installations":
        memoryInstallations = try Self.number(of: flag, &rest, in: 1_000...10_000_000)
      case "--seconds": seconds = try Self.number(of: flag, &rest, in: 1...600)
      case "--rounds": rounds = try Self.number(of: flag, &rest, in: 1...20)
      case "--json": jsonFile = try Self.value(of: flag, &rest)
      default: throw BenchError("unknown option \(flag); try --help")
      }
    }
  }

  private static func parts(_ list: String) throws(BenchError) -> Set<Part> {
    var parts = Set<Part>()
    for name in list.split(separator: ",") {
      guard let part = Part(rawValue: String(name)) else {
        throw BenchError("--only takes \(Part.allCases.map(\.rawValue).joined(separator: ",")), not \(name)")
      }
      parts.insert(part)
    }
    return parts
  }

  private static func value(of flag: String, _ rest: inout ArraySlice<String>) throws(BenchError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else { throw BenchError("\(flag) needs a value") }
    return value
  }

  private static func number(
    of flag: String, _ rest: inout ArraySlice<String>, in range: ClosedRange<Int>
  ) throws(BenchError) -> Int {
    let text = try value(of: flag, &rest)
    guard let number = Int(text), range.contains(number) else {
      throw BenchError("\(flag) is a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return number
  }

  static let help = """
    kits-bench: measures Kits against what it stands on, in one run on one machine.

    Starts a private PostgreSQL, APNs simulators and `kits serve` in a temporary directory, and stops and removes
    them at the end, however it ends. Run it from the release build: make bench BENCH_ARGS='…'

      --only PARTS         of register,identity,receipts,sessions,import,delivery,peers,latency,singles,plan,
                           preview,webhooks,memory,kill,verify
                           (default all)
      --installations N    audience of a message to everyone (default 200000)
      --memory-installations N
                           the same of memory, and that of preview (default 1000000)
      --seconds S          per way of registering and number of clients (default 9)
      --rounds N           slices that those seconds are cut into, taken in turn; also how often delivery and plan
                           go through their audience (default 3)
      --json FILE          also writes the figures to a file
      --keep               leaves everything running until Return is pressed, to look at it

    Status 0: measured (whether targets are met is in the table); 1: something failed; 64: wrong command line.
    """
}
