import Foundation

/// Another client of the push service, made ready in a directory of its own.
enum Peer: CaseIterable {
  case netHTTP2
  case aioapns

  var name: String {
    switch self {
    case .netHTTP2: "Go's net/http2"
    case .aioapns: "aioapns"
    }
  }

  /// Requests in flight: what users of each take, and neither becomes faster with more.
  var concurrency: Int {
    switch self {
    case .netHTTP2: 100
    case .aioapns: 200
    }
  }

  /// One that takes ten times as long sends less.
  var limit: Int {
    switch self {
    case .netHTTP2: .max
    case .aioapns: 100_000
    }
  }

  /// Recognises answers by their `apns-id`, which the simulator that only counts leaves out. The one that checks is
  /// still several times as fast as this client.
  var needsIDs: Bool { self == .aioapns }

  /// The command that takes a job, or why there is none here.
  func prepare(root: String, directory: String) throws(BenchError) -> [String] {
    switch self {
    case .netHTTP2:
      guard FileManager.default.fileExists(atPath: Self.packages + "/src/golang.org/x/net/http2") else {
        throw BenchError("golang-golang-x-net-dev is not installed")
      }
      let program = directory + "/net-http2-peer"
      try make(
        ["go", "build", "-o", program, root + "/bench/nethttp2/main.go"],
        ["GO111MODULE": "off", "GOPATH": Self.packages, "GOCACHE": directory + "/go-cache"])
      return [program]
    case .aioapns:
      let place = directory + "/aioapns"
      try make(["python3", "-m", "venv", place])
      try make(
        [
          place + "/bin/pip", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "10", "install",
          "--only-binary=:all:", "aioapns==4.0",
        ], Child.variables(Self.networkSettings))
      return [place + "/bin/python", root + "/bench/aioapns/peer.py"]
    }
  }

  private func make(_ command: [String], _ environment: [String: String] = [:]) throws(BenchError) {
    do {
      _ = try Child.output(of: command, environment: environment, mergesErrors: true)
    } catch {
      // The last line is the reason; those before are how the tool came to it.
      throw BenchError(error.description.split(separator: "\n").last.map(String.init) ?? "")
    }
  }

  /// How packages are reached where there is no straight way to them.
  private static let networkSettings = [
    "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE",
  ]

  /// Where Debian puts Go's sources.
  private static let packages = "/usr/share/gocode"
}
