/// What came of the rows of a file. Every row is counted in `rows` and in exactly one of the others.
package struct ImportTally: Sendable, Equatable {
  package var rows: Int64 = 0
  /// Became an installation.
  package var imported: Int64 = 0
  /// Its push token belongs to an installation already, or to an earlier row: nothing was changed.
  package var existing: Int64 = 0
  /// Not an installation that could be reached, by what the other system says of it.
  package var skipped: Int64 = 0
  /// Breaks a rule, which the report names.
  package var refused: Int64 = 0
  /// Its user was erased.
  package var erased: Int64 = 0

  package init() {}

  package static func += (tally: inout ImportTally, more: ImportTally) {
    tally.rows += more.rows
    tally.imported += more.imported
    tally.existing += more.existing
    tally.skipped += more.skipped
    tally.refused += more.refused
    tally.erased += more.erased
  }
}
