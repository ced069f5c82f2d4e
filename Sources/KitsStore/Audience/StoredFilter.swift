import JSON
import KitsCore
import Postgres

/// Filters in jsonb columns. What was stored was read by the same rules before, so a fault means that somebody else
/// wrote it.
enum StoredFilter {
  static func read(_ json: [UInt8]) throws(PostgresError) -> Filter {
    let faults = FaultCollector()
    guard let value = try? JSON.parse(json, maxDepth: JSON.deepest),
      let filter = FilterReader.readResolved(ElementReader(value, into: faults)), faults.isEmpty
    else { throw .decode("a stored filter can't be read") }
    return filter
  }
}
