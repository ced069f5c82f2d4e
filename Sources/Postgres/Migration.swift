internal import FoundationEssentials

/// One step of the schema: `NNNN_what.sql`. Never changed once it was applied anywhere.
package struct Migration: Sendable, Equatable {
  package let version: Int
  package let name: String
  package let sql: String

  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
  }

  /// `-- transaction: off` on a line of its own before the first statement: for CREATE INDEX CONCURRENTLY and its
  /// kin.
  package var runsInTransaction: Bool {
    for line in sql.split(separator: "\n") {
      let text = line.drop(while: \.isWhitespace)
      guard text.hasPrefix("--") else { return true }
      if text.filter({ !$0.isWhitespace }).lowercased() == "--transaction:off" { return false }
    }
    return true
  }

  /// The index that `CREATE [UNIQUE] INDEX CONCURRENTLY [IF NOT EXISTS] name` makes. When such a statement fails it
  /// leaves an invalid index behind.
  var concurrentIndex: String? {
    let words = sql.split(separator: "\n").filter { !$0.drop(while: \.isWhitespace).hasPrefix("--") }
      .flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init)
    guard let start = words.firstIndex(where: { $0.uppercased() == "CONCURRENTLY" }),
      words[..<start].map({ $0.uppercased() }).contains("INDEX")
    else { return nil }
    var rest = words[(start + 1)...]
    if rest.prefix(3).map({ $0.uppercased() }) == ["IF", "NOT", "EXISTS"] { rest = rest.dropFirst(3) }
    return rest.first.flatMap { $0.uppercased() == "ON" ? nil : $0 }
  }

  /// All `NNNN_what.sql` of a directory, in order. Any other `.sql` in it is an error, so that none is forgotten.
  package static func load(from directory: String) throws(MigrationError) -> [Migration] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".sql") }
      return try ordered(
        names.map { name in
          guard let (version, what) = parse(name) else { throw MigrationError.badName(name) }
          let data = try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))
          guard let sql = String(validating: data, as: UTF8.self) else { throw MigrationError.unreadable(name) }
          return Migration(version: version, name: what, sql: sql)
        })
    } catch let error as MigrationError {
      throw error
    } catch {
      throw .unreadable(directory)
    }
  }

  /// Sorted by version; each at least 1 and only once.
  package static func ordered(_ migrations: [Migration]) throws(MigrationError) -> [Migration] {
    let sorted = migrations.sorted { $0.version < $1.version }
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.version == next.version {
      throw .duplicate(version: one.version)
    }
    if let first = sorted.first, first.version < 1 { throw .badName("\(first.version)_\(first.name)") }
    return sorted
  }

  private static func parse(_ file: String) -> (version: Int, name: String)? {
    let stem = file.dropLast(".sql".count)
    guard let underscore = stem.firstIndex(of: "_") else { return nil }
    let digits = stem[..<underscore]
    let name = stem[stem.index(after: underscore)...]
    guard digits.count == 4, digits.allSatisfy({ ("0"..."9").contains($0) }), let version = Int(digits), !name.isEmpty
    else { return nil }
    return (version, String(name))
  }
}
