internal import KitsCore

extension CommandTree {
  private static let environmentID = PositionalSpec(
    name: "ENVIRONMENT_ID", help: "Id of the environment, from `kits environment list`.")

  static let environment = CommandSpec(
    name: "environment", summary: "Create, show and set environments: how users are authenticated.",
    subcommands: [
      CommandSpec(
        name: "create", summary: "Create another environment in a project.",
        discussion: "It starts as BASIC and without apps or keys.",
        options: [
          .value("project", "ID", "Id of the project, from `kits environment list`.", required: true),
          .value("name", "NAME", "Name of the environment.", required: true),
        ],
        examples: ["kits environment create --project ID --name staging"],
        action: CreateEnvironment.run),
      CommandSpec(
        name: "list", summary: "List all environments and their policies.",
        examples: ["kits environment list", "kits environment list --json"], action: ListEnvironments.run),
      CommandSpec(
        name: "show", summary: "Show an environment, its policy and its apps.",
        positionals: [environmentID],
        examples: ["kits environment show 01920000-0000-7000-8000-000000000000"], action: ShowEnvironment.run),
      set,
    ])

  private static let set = CommandSpec(
    name: "set", summary: "Change the policy of an environment, for all of its apps at once.",
    discussion: """
      BASIC takes a client's word for who its user is; VERIFIED asks for a token signed by the
      customer's backend. With the shadow on, clients see VERIFIED and a token that fails is counted and
      let through, unverified. Going back to BASIC ends the shadow. Every change of mode or shadow
      raises the policy revision. VERIFIED without the shadow needs an identity key.
      """,
    options: [
      .value("auth-mode", "MODE", "How users are authenticated.", choices: AuthMode.allCases.map(\.name)),
      .value("shadow", "SWITCH", "Whether failing tokens are let through.", choices: ["on", "off"]),
      .value(
        "identifier-policy", "POLICY", "Which device identifiers are taken.",
        choices: IdentifierPolicy.allCases.map(\.name)),
      .value("raw-identifiers", "SWITCH", "Whether identifiers may come unhashed.", choices: ["on", "off"]),
      .flag("force", "Ask for tokens although no key is registered that verifies one: every login fails."),
    ],
    positionals: [environmentID],
    examples: [
      "kits environment set 01920000-0000-7000-8000-000000000000 --auth-mode VERIFIED --shadow on",
      "kits environment set 01920000-0000-7000-8000-000000000000 --shadow off",
    ],
    action: SetEnvironment.run)

  static let identityKey = CommandSpec(
    name: "identity-key", summary: "Add, list and revoke the public keys that verify identity tokens.",
    subcommands: [
      CommandSpec(
        name: "add", summary: "Register a public key.",
        discussion: """
          Takes one P-256 public key in PEM (BEGIN PUBLIC KEY) and nothing else. A private key is refused
          and not stored; treat it as compromised. The same call again does no harm.
          """,
        options: [
          environmentOption,
          .value("key-id", "KEY_ID", "The `kid` of its tokens: letters, digits, `.`, `_` and `-`.", required: true),
          .value("public-key-file", "FILE", "The PEM file; `-` reads it from stdin.", required: true),
        ],
        examples: ["kits identity-key add --environment ID --key-id 2026-11 --public-key-file identity.pub.pem"],
        action: AddIdentityKey.run),
      CommandSpec(
        name: "list", summary: "List the identity keys of an environment, revoked ones too.",
        options: [environmentOption], examples: ["kits identity-key list --environment ID"],
        action: ListIdentityKeys.run),
      CommandSpec(
        name: "revoke", summary: "Revoke an identity key; its tokens verify nothing from now on.",
        discussion: "Neither the id nor the key can be registered again.",
        options: [environmentOption],
        positionals: [PositionalSpec(name: "KEY_ID", help: "Id of the key, from `kits identity-key list`.")],
        examples: ["kits identity-key revoke 2026-05 --environment ID"], action: RevokeIdentityKey.run),
    ])

  static let audit = CommandSpec(
    name: "audit", summary: "Read the audit log: who changed or was refused what, newest first.",
    discussion: """
      `--before` reads on: give it the number of the last entry that you have. In CSV a cell that a
      spreadsheet would take for a formula begins with an apostrophe.
      """,
    options: [
      .value("environment", "ID", "Entries of this environment alone."),
      .value("action", "ACTION", "Entries of this action alone.", choices: AuditAction.allCases.map(\.rawValue)),
      .value("since", "TIME", "Entries from this time on, like 2026-11-30T08:00:00Z."),
      .value("before", "NUMBER", "Entries older than the one of this number."),
      .value(
        "limit", "NUMBER", "How many at most, \(ReadAudit.limits.words); \(ReadAudit.defaultLimit) unless given."),
      .flag("csv", "Print comma-separated values with a header line."),
    ],
    examples: [
      "kits audit", "kits audit --environment ID --action environment.changed --since 2026-11-01T00:00:00Z",
      "kits audit --limit 10000 --csv > audit.csv",
    ],
    action: ReadAudit.run)
}
