import FoundationEssentials
package import KitsCore
package import Postgres

/// A filter as SQL. Its text comes from a closed set of fragments; whatever a client wrote is a parameter.
package struct CompiledFilter: Sendable {
  /// A boolean expression over the row `i` of `installation`. TRUE for those that match; FALSE or NULL for others, so
  /// who needs the opposite writes `IS NOT TRUE`.
  package let sql: String
  private let values: [FilterValue]

  /// - Parameters:
  ///   - first: the number of the first parameter that `bind` adds.
  ///   - now: what ages are measured from; nil for the database's `now()`. A message that is planned in many
  ///     transactions gives the time at which it started, so that all of them agree.
  package init(_ filter: Filter, firstParameter first: Int, now: Timestamp? = nil) {
    var compiler = FilterCompiler(first: first, now: now)
    sql = compiler.expression(filter)
    values = compiler.values
  }

  /// How many parameters `bind` adds.
  package var parameterCount: Int { values.count }

  package func bind(into parameters: inout Parameters) {
    for value in values { value.bind(into: &parameters) }
  }
}

/// One parameter of a compiled filter.
enum FilterValue: Sendable {
  case text(String)
  case texts([String])
  case integer(Int64)
  case smalls([Int16])
  case json([UInt8])
  case instant(Timestamp)
  case uuid(UUID)

  func bind(into parameters: inout Parameters) {
    switch self {
    case .text(let text): parameters.add(text)
    case .texts(let texts): parameters.add(texts)
    case .integer(let number): parameters.add(number)
    case .smalls(let numbers): parameters.add(numbers)
    case .json(let bytes): parameters.add(json: bytes)
    case .instant(let instant): parameters.add(timestamp: instant.microseconds)
    case .uuid(let uuid): parameters.add(uuid)
    }
  }
}
