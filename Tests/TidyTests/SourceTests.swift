import Testing

/// The rules of CONTRIBUTING.md that a machine can check, over the whole tree.
@Suite struct SourceTests {
  @Test("A target imports inward only, and never Foundation")
  func imports() throws {
    expectNone(try SourceTree.swift("Sources").flatMap(Rules.imports))
  }

  @Test("Every folder of Sources is a C module or has a place in the import table")
  func everyTargetIsInTheTable() throws {
    let targets = Set(try SourceTree.swift("Sources").map(\.target))
    #expect(targets.subtracting(House.imports.keys) == [])
  }

  @Test("Lines have at most 120 characters, files 500 lines, functions 70 lines")
  func sizes() throws {
    let swift = try SourceTree.swift("Sources", "Tests")
    let others =
      try SourceTree.files("db/migrations", suffixes: [".sql"])
      + SourceTree.files("deploy", suffixes: ["up", "down", "sh"])
    expectNone((swift + others).flatMap(Rules.lineLength))
    expectNone((swift + others).flatMap(Rules.fileLength))
    expectNone(swift.flatMap(Rules.functionLength))
  }

  @Test("No file or folder has a name that says nothing")
  func names() throws {
    expectNone(try SourceTree.swift("Sources", "Tests").flatMap(Rules.names))
  }

  @Test("SQL is only in KitsStore, the migrator and the benchmark")
  func sql() throws {
    expectNone(try SourceTree.swift("Sources").flatMap(Rules.sql))
  }

  @Test("Unchecked concurrency is only in the wrappers, each with its reason")
  func uncheckedSendable() throws {
    expectNone(try SourceTree.swift("Sources").flatMap(Rules.uncheckedSendable))
  }

  @Test("Only the programs read the environment and write to the terminal")
  func rim() throws {
    let sources = try SourceTree.swift("Sources")
    expectNone(sources.flatMap(Rules.environment))
    expectNone(sources.flatMap(Rules.output))
  }

  @Test("What can trap says why it won't")
  func traps() throws {
    expectNone(try SourceTree.swift("Sources").flatMap(Rules.traps))
  }

  @Test("No catch drops an error without a word")
  func emptyCatches() throws {
    expectNone(try SourceTree.swift("Sources", "Tests").flatMap(Rules.emptyCatches))
  }

  @Test("No test waits for time to pass")
  func sleeps() throws {
    expectNone(try SourceTree.swift("Tests").flatMap(Rules.sleeps))
  }

  @Test("No file names a path of somebody's machine")
  func machinePaths() throws {
    let suffixes = [
      ".swift", ".md", ".sql", ".yaml", ".sh", ".h", ".modulemap", "Makefile", "up", "down", "postgres", "run",
    ]
    expectNone(try SourceTree.files("", suffixes: suffixes).flatMap(Rules.machinePaths))
  }
}
