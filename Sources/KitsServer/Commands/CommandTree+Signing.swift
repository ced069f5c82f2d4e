internal import KitsCore

extension CommandTree {
  private static let appID = PositionalSpec(name: "APP_ID", help: "Id of the app, from `kits app list`.")
  private static let example = "01920000-0000-7000-8000-000000000000"

  static let signing = CommandSpec(
    name: "signing", summary: "Ask an app's SDKs to sign their requests, and manage the secret.",
    subcommands: [
      CommandSpec(
        name: "show", summary: "Show the mode, the window and the numbers of the secrets.",
        positionals: [appID], examples: ["kits app signing show \(example)"], action: AppSigning.show),
      CommandSpec(
        name: "create", summary: "Give an app its first secret and print it.",
        discussion: "Nothing is checked until the mode is set. Needs KITS_DATABASE_URL and KITS_MASTER_KEYS.",
        positionals: [appID], examples: ["kits app signing create \(example)"], action: AppSigning.create),
      CommandSpec(
        name: "reveal", summary: "Print the secret again. The audit log says so.",
        discussion: "Needs KITS_DATABASE_URL and KITS_MASTER_KEYS.", positionals: [appID],
        examples: ["kits app signing reveal \(example) --field secret"], action: AppSigning.reveal),
      CommandSpec(
        name: "rotate", summary: "Replace the secret; the old one is good for 48 hours.",
        discussion: "Needs KITS_DATABASE_URL and KITS_MASTER_KEYS.",
        options: [
          .value(
            "secret-no", "NUMBER", "The current secret's, from `kits app signing show`: that one is replaced.",
            required: true)
        ], positionals: [appID], examples: ["kits app signing rotate \(example) --secret-no 1"],
        action: AppSigning.rotate),
      CommandSpec(
        name: "revoke-previous", summary: "End the 48 hours of the replaced secret now.",
        positionals: [appID], examples: ["kits app signing revoke-previous \(example)"],
        action: AppSigning.revokePrevious),
      CommandSpec(
        name: "mode", summary: "Set whether requests must be signed, and the window.",
        discussion: "Nodes follow within five seconds.",
        options: [
          .value("mode", "MODE", "optional refuses wrong signatures alone.", choices: SigningMode.allCases.map(\.name)),
          .value("bucket-seconds", "SECONDS", "Length of a window, 60 to 3600."),
        ], positionals: [appID], examples: ["kits app signing mode \(example) --mode optional"],
        action: AppSigning.mode),
    ])
}
