import KitsCore
import Postgres

/// Asks the conditions of a filter of one installation, each by itself. `$1` is the app, `$2` the installation; the
/// conditions' own parameters follow.
struct ClauseSQL {
  let sql: String
  private let conditions: [CompiledFilter]

  init(_ filter: Filter, now: Timestamp?) {
    var conditions: [CompiledFilter] = []
    var first = 3
    for condition in filter.conditions {
      let compiled = CompiledFilter(.condition(condition), firstParameter: first, now: now)
      first += compiled.parameterCount
      conditions.append(compiled)
    }
    self.conditions = conditions
    let answers = conditions.map { "(\($0.sql)) IS TRUE" }.joined(separator: ",\n  ")
    sql = """
      SELECT ARRAY[
        \(answers)
      ]::boolean[]
      FROM installation i
      WHERE i.app_no = $1 AND i.installation_no = $2
      """
  }

  func parameters(app: AppNumber, installation: InstallationNumber) -> Parameters {
    var parameters = Parameters()
    parameters.add(app.value)
    parameters.add(installation.value)
    for condition in conditions { condition.bind(into: &parameters) }
    return parameters
  }
}
