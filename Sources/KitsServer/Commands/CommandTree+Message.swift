extension CommandTree {
  private static let server: [OptionSpec] = [
    .value("url", "URL", "Base URL of the server.", required: true),
    .value("server-key-file", "FILE", "File with the server key; KITS_SERVER_KEY when absent."),
  ]

  static let message = CommandSpec(
    name: "message", summary: "Send messages and watch them, through the API.",
    subcommands: [
      CommandSpec(
        name: "send", summary: "Send a message.",
        discussion: "Prints the message's id. The key needs the scope messages:send.",
        options: server + [
          .value("app", "APP", "Id of the app; needed when the environment has several."),
          .flag("everyone", "Send to every installation of the app."),
          .value("installation", "ID", "Send to this installation.", repeatable: true),
          .value("external-id", "ID", "Send to whatever is bound to this user.", repeatable: true),
          .value("segment", "ID", "Send to whoever matches this segment.", repeatable: true),
          .flag("test-devices", "Send to the devices that are marked for trying."),
          .flag("verified-only", "Only where a token or a backend call made the binding."),
          .value("title", "TEXT", "Title of the alert.", required: true),
          .value("body", "TEXT", "Body of the alert.", required: true),
          .value("data", "JSON", "A JSON object for the app."),
        ],
        exactlyOneOf: [["everyone", "installation", "external-id", "segment", "test-devices"]],
        examples: [
          "kits message send --url http://127.0.0.1:8080 --server-key-file server.key \\",
          "  --everyone --title Hello --body 'First push'",
        ],
        action: SendMessage.run),
      CommandSpec(
        name: "watch", summary: "Follow a message until it is finished.",
        discussion: """
          Shows a progress bar on a terminal and plain lines elsewhere, then the ledger. Ends with 0
          when the message completed and with 1 otherwise. The key needs the scope messages:read.
          """,
        options: server,
        positionals: [PositionalSpec(name: "MESSAGE_ID", help: "Id that `kits message send` printed.")],
        examples: ["kits message watch ID --url http://127.0.0.1:8080 --server-key-file server.key"],
        action: WatchMessage.run),
    ])
}
