internal import KitsCore

extension CommandTree {
  static let environmentOption = OptionSpec.value(
    "environment", "ID", "Id of the environment.", required: true)

  static let project = CommandSpec(
    name: "project", summary: "Create projects.",
    subcommands: [
      CommandSpec(
        name: "create", summary: "Create a project with its first environment.",
        options: [
          .value("name", "NAME", "Name of the project.", required: true),
          .value("environment", "NAME", "Name of its environment, `production` unless given."),
        ],
        examples: [
          "kits project create --name Shop",
          "ENVIRONMENT=$(kits project create --name Shop --field environment_id)",
        ],
        action: CreateProject.run)
    ])

  static let app = CommandSpec(
    name: "app", summary: "Create, list, pause and resume apps.",
    subcommands: [
      CommandSpec(
        name: "create", summary: "Create an app in an environment.",
        discussion: """
          The APNs key is checked (a P-256 private key in PEM) and stored encrypted. Needs
          KITS_DATABASE_URL and KITS_MASTER_KEYS. Prints the app's id and its public key.
          """,
        options: [
          environmentOption,
          .value("name", "NAME", "Name of the app.", required: true),
          .value("platform", "PLATFORM", "What it runs on.", required: true, choices: ["ios", "android"]),
          .value("bundle-id", "ID", "Bundle id, the topic of its pushes.", required: true),
          .value("apns-key-file", "FILE", "Apple's AuthKey_….p8 file; `-` reads it from stdin."),
          .value("apns-key-id", "ID", "Id of that key, 10 characters."),
          .value("apns-team-id", "ID", "Apple developer team id, 10 characters."),
        ],
        examples: [
          "kits app create --environment ID --name Shop --platform ios --bundle-id com.example.shop \\",
          "  --apns-key-file AuthKey_ABC123DEFG.p8 --apns-key-id ABC123DEFG --apns-team-id DEF123GHIJ",
        ],
        action: CreateApp.run),
      CommandSpec(
        name: "list", summary: "List all apps, and what is paused of them.",
        examples: ["kits app list", "kits app list --json"], action: ListApps.run),
      pauseApp, resumeApp, setKey,
    ])

  private static let appID = PositionalSpec(name: "APP_ID", help: "Id of the app, from `kits app list`.")
  private static let apnsEnvironment = OptionSpec.value(
    "apns-environment", "NAME", "That one alone; both unless given.", choices: APNsEnvironment.allCases.map(\.name))

  private static let pauseApp = CommandSpec(
    name: "pause", summary: "Hand nothing of an app to APNs until it is resumed.",
    discussion: "What waits stays pending. Messages can be created and canceled meanwhile, and expire.",
    options: [apnsEnvironment, .value("reason", "TEXT", "Shown with the app's messages.")],
    positionals: [appID],
    examples: ["kits app pause 01920000-0000-7000-8000-000000000000 --reason 'wrong text sent'"],
    action: PauseApp.run)

  private static let resumeApp = CommandSpec(
    name: "resume", summary: "Let a paused app go on.",
    discussion: """
      For a pause by an operator, and for one by the circuit breaker once its cause is mended. What the
      pause held is due at once. Tokens that worked before and were refused by what led to the pause are
      active again.
      """,
    options: [apnsEnvironment, .flag("keep-suspects", "Leave those tokens out of use: they are really dead.")],
    positionals: [appID],
    examples: ["kits app resume 01920000-0000-7000-8000-000000000000"],
    action: ResumeApp.run)

  private static let setKey = CommandSpec(
    name: "set-key", summary: "Replace the APNs key of an app.",
    discussion: """
      Nodes send with the new key within a minute. Resume the app afterwards when the old key paused it.
      Needs KITS_DATABASE_URL and KITS_MASTER_KEYS.
      """,
    options: [
      .value("apns-key-file", "FILE", "Apple's AuthKey_….p8 file; `-` reads it from stdin.", required: true),
      .value("apns-key-id", "ID", "Id of that key, 10 characters.", required: true),
      .value("apns-team-id", "ID", "Apple developer team id, 10 characters.", required: true),
    ],
    positionals: [appID],
    examples: [
      "kits app set-key 01920000-0000-7000-8000-000000000000 --apns-key-file AuthKey_ABC123DEFG.p8 \\",
      "  --apns-key-id ABC123DEFG --apns-team-id DEF123GHIJ",
    ],
    action: SetKey.run)

  static let key = CommandSpec(
    name: "key", summary: "Create, list and revoke server keys.",
    subcommands: [
      CommandSpec(
        name: "create", summary: "Create a server key and print it, once.",
        options: [
          environmentOption,
          .value("name", "NAME", "What the key is for.", required: true),
          .value(
            "scope", "SCOPE", "What it may do.", required: true, repeatable: true,
            choices: Scope.allCases.map(\.rawValue)),
          .value(
            "role", "ROLE", "What it may do at most, whatever its scopes; owner unless given.",
            choices: Role.allCases.map(\.name)),
        ],
        examples: [
          "kits key create --environment ID --name backend --scope messages:send --scope messages:read",
          "kits key create --environment ID --name backend --scope messages:send --field server_key > server.key",
        ],
        action: CreateKey.run),
      CommandSpec(
        name: "list", summary: "List the server keys of an environment, without their secrets.",
        options: [environmentOption], examples: ["kits key list --environment ID"], action: ListKeys.run),
      CommandSpec(
        name: "revoke", summary: "Revoke a server key; it stops working at once.",
        positionals: [PositionalSpec(name: "KEY_ID", help: "Id of the key, from `kits key list`.")],
        examples: ["kits key revoke 01920000-0000-7000-8000-000000000000"], action: RevokeKey.run),
    ])
}
