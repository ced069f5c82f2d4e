import Foundation

extension Stage {
  /// Transactions a second of a script, prepared.
  func pgbench(_ script: String, clients: Int, seconds: Int) throws(BenchError) -> Double {
    let text = try Child.output(of: [
      "pgbench", "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(min(2, clients))",
      "--time=\(seconds)", "--file=\(script)", databaseURL,
    ])
    for line in text.split(separator: "\n") where line.hasPrefix("tps = ") {
      if let rate = Double(line.split(separator: " ")[2]) { return rate }
    }
    throw BenchError("pgbench printed no rate: \(text)")
  }
}
