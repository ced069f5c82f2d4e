import JSON
import Postgres

/// How often each kind of fault was found, as the column has it.
enum ImportFaultsJSON {
  static func encode(_ faults: [String: Int64]) -> [UInt8] {
    JSON.canonical(.object(JSONObject(faults.map { ($0.key, JSONValue.integer($0.value)) })))
  }

  static func decode(_ text: String) throws(PostgresError) -> [String: Int64] {
    guard let object = (try? JSON.parse(Array(text.utf8)))?.object else { throw .decode("faults of an import") }
    return object.members.reduce(into: [:]) { $0[$1.key] = $1.value.integer }
  }
}
