extension CommandTree {
  private static let server: [OptionSpec] = [
    .value("url", "URL", "Base URL of the server.", required: true),
    .value("server-key-file", "FILE", "File with the server key; KITS_SERVER_KEY when absent."),
  ]

  private static let messageID = PositionalSpec(name: "MESSAGE_ID", help: "Id that `kits message send` printed.")

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
          .value("at", "TIME", "Send at this time (RFC 3339) instead of at once."),
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
        options: server, positionals: [messageID],
        examples: ["kits message watch ID --url http://127.0.0.1:8080 --server-key-file server.key"],
        action: WatchMessage.run),
      CommandSpec(
        name: "show", summary: "Show what became of a message.",
        discussion: """
          Its ledger and the reasons, and what devices confirmed of how many that could confirm.
          The key needs the scope messages:read.
          """,
        options: server, positionals: [messageID],
        examples: ["kits message show ID --url http://127.0.0.1:8080 --server-key-file server.key"],
        action: ShowMessage.run),
      CommandSpec(
        name: "timeline", summary: "Show when devices confirmed a message, hour by hour.",
        discussion: "Hours are those in which the server got it, UTC. The key needs the scope messages:read.",
        options: server, positionals: [messageID],
        examples: ["kits message timeline ID --url http://127.0.0.1:8080 --server-key-file server.key"],
        action: ShowTimeline.run),
      CommandSpec(
        name: "why", summary: "Tell why an installation got a message, or didn't.",
        discussion: """
          What became of the delivery, or what kept the installation out. The latter is looked at as
          it is now. The key needs the scope messages:read.
          """,
        options: server,
        positionals: [messageID, PositionalSpec(name: "INSTALLATION_ID", help: "Id of the installation.")],
        examples: ["kits message why ID INSTALLATION_ID --url http://127.0.0.1:8080 --server-key-file server.key"],
        action: ExplainDelivery.run),
    ])
}
