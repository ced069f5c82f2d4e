/// All commands of `kits`.
enum CommandTree {
  static let root = CommandSpec(
    name: "kits",
    summary: "Self-hosted push notifications.",
    discussion: """
      Settings come from KITS_* variables; `kits check-config --help` lists them.
      Exit codes: 0 done, 1 refused or failed, 64 wrong command line, 69 database or server
      unavailable, 74 output could not be written, 78 wrong configuration.
      """,
    examples: [
      "kits check-config", "kits migrate", "kits project create --name Shop", "kits serve",
    ],
    subcommands: [
      serve, migrate, checkConfig, doctor, project, environment, app, key, identity, identityKey, user, testDevice,
      audit, message, importing, development, version,
    ])

  static let version = CommandSpec(
    name: "version", summary: "Print the version of this build.",
    examples: ["kits version", "kits version --field version"],
    action: { try $0.output.print(Report([("version", .string(Version.text))])) })

  static let checkConfig = CommandSpec(
    name: "check-config", summary: "Check the KITS_* variables and print what they result in.",
    discussion: """
      Reports every problem at once and ends with 78 when there is one. Touches neither the
      database nor the network. Variables:

      \(Variable.manual)
      """,
    examples: ["kits check-config", "env $(cat kits.env) kits check-config --json"],
    action: CheckConfig.run)
}
