extension CommandTree {
  private static let identityApp = OptionSpec.value(
    "app", "ID", "Id of the app, from `kits app list`.", required: true)

  static let identity = CommandSpec(
    name: "identity", summary: "Make identity keys, sign and examine identity tokens, list refused ones.",
    subcommands: [
      CommandSpec(
        name: "keygen", summary: "Make a pair of keys for identity tokens.",
        discussion: """
          Writes the private key into a new file that its owner alone may read and prints the public
          key, which is what Kits needs. Touches neither the database nor the network.
          """,
        options: [
          .value("private-key-file", "FILE", "File to make; one that exists is not overwritten.", required: true)
        ],
        examples: ["kits identity keygen --private-key-file identity.key > identity.pem"],
        action: GenerateIdentityKey.run),
      CommandSpec(
        name: "sign", summary: "Sign an identity token for a user.",
        discussion: """
          For backends without a library and for trying things out. Whoever has the token can log in as
          that user until it expires. Touches neither the database nor the network.
          """,
        options: [
          identityApp,
          .value("key-id", "KEY_ID", "Under which the public key is registered.", required: true),
          .value("private-key-file", "FILE", "The private key in PEM; `-` reads it from stdin.", required: true),
          .value("external-id", "ID", "The user, as your system calls it.", required: true),
          .value("ttl-seconds", "N", "How long the token lives, 300 unless given, 3600 at most."),
        ],
        examples: [
          "kits identity sign --app ID --key-id 2026-08 --private-key-file identity.key \\",
          "  --external-id alice --field token",
        ],
        action: SignIdentityToken.run),
      CommandSpec(
        name: "verify", summary: "Say whether the server would accept a token, and if not, why.",
        discussion: """
          Judges the token as `kits serve` does, by this machine's clock, with the public key that is
          given. Prints what it says, or ends with 1 and the cause. Touches neither the database nor the
          network.
          """,
        options: [
          identityApp,
          .value("public-key-file", "FILE", "The public key in PEM.", required: true),
          .value("token-file", "FILE", "File with the token; stdin unless given."),
        ],
        examples: ["kits identity verify --app ID --public-key-file identity.pem < token"],
        action: VerifyIdentityToken.run),
      CommandSpec(
        name: "rejections", summary: "List refused identity proofs by day, app and cause.",
        discussion: """
          `let_through`: they would have been refused, but the environment is in shadow. Days are UTC and
          are kept for 90 days. Needs KITS_DATABASE_URL.
          """,
        options: [.value("days", "N", "Of how many days, today included; 7 unless given.")],
        examples: ["kits identity rejections --days 30 --json"],
        action: ListRejections.run),
    ])
}
