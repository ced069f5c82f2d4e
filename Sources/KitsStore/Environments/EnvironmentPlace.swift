package import KitsCore
import Postgres

/// Which environment is meant: a server key knows the number of its own, an operator names an id.
package enum EnvironmentPlace: Sendable {
  case number(EnvironmentNumber)
  case id(EnvironmentID)

  /// The condition on `environment e` that `bind` completes.
  static let condition = "(e.environment_no = $1 OR e.environment_id = $2)"

  func bind(to parameters: inout Parameters) {
    switch self {
    case .number(let number):
      parameters.add(number.value)
      parameters.add(EnvironmentID?.none?.uuid)
    case .id(let id):
      parameters.add(Int64?.none)
      parameters.add(id.uuid)
    }
  }
}
