internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits environment set`
enum SetEnvironment {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let id: EnvironmentID = try OperatorInput.id(arguments.required("ENVIRONMENT_ID"), "ENVIRONMENT_ID")
    let change = try change(arguments)
    let answer = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).change(.id(id), change, by: .commandLine(.environmentChanged))
    }
    guard let answer else { throw CommandFailure.refused("there is no environment \(id)") }
    if let failure = CommandFailure.refused(answer.outcome) { throw failure }
    try invocation.output.print(ShowEnvironment.report(answer.environment), else: "The environment was changed.")
  }

  private static func change(_ arguments: Arguments) throws(CommandFailure) -> EnvironmentPolicy.Change {
    var change = EnvironmentPolicy.Change()
    change.authMode = AuthMode.allCases.first { $0.name == arguments.value("auth-mode") }
    change.shadow = arguments.value("shadow").map { $0 == "on" }
    change.identifiers = IdentifierPolicy.allCases.first { $0.name == arguments.value("identifier-policy") }
    change.rawIdentifiers = arguments.value("raw-identifiers").map { $0 == "on" }
    guard change != EnvironmentPolicy.Change() else {
      throw .usage("give at least one of --auth-mode, --shadow, --identifier-policy or --raw-identifiers")
    }
    change.isForced = arguments.has("force")
    return change
  }
}

extension CommandFailure {
  /// Nil when the change was made.
  fileprivate static func refused(_ outcome: EnvironmentPolicy.Outcome) -> CommandFailure? {
    switch outcome {
    case .applied: nil
    case .revisionMoved: .refused("somebody else changed the policy meanwhile: nothing was changed")
    case .shadowNeedsVerified: .refused("only an environment that is VERIFIED has a shadow: nothing was changed")
    case .noIdentityKey:
      .refused(
        "every login would fail, for no key is registered that could verify a token: add one with"
          + " `kits identity-key add`, or use --shadow on, or --force; nothing was changed")
    }
  }
}
