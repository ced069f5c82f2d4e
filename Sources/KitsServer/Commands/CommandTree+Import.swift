extension CommandTree {
  static let importing = CommandSpec(
    name: "import", summary: "Bring data of another system.",
    subcommands: [
      CommandSpec(
        name: "installations", summary: "Import installations from a file.",
        discussion: """
          CSV or JSON lines with the columns of docs/import.md, or OneSignal's export of subscriptions.
          A row whose push token is known changes nothing, so a file may be imported again. Every row
          is checked like a request of the SDK; wrong ones are refused by themselves and reported.
          Ends with 1 when there were some.
          """,
        options: [
          .value("app", "ID", "Id of the app.", required: true),
          .value(
            "format", "FORMAT", "What the file is; without it, what it looks like.",
            choices: ImportFormat.allCases.map(\.rawValue)),
          .flag("dry-run", "Check everything and write nothing."),
          .flag("resume", "Go on where an interrupted import of the file stopped."),
          .value("report", "FILE", "Write all faults to this file, as CSV."),
          .flag("ignore-unknown", "Leave out columns that have no meaning."),
          .flag("anonymous", "Leave out who the users are."),
          .flag("trust-external-ids", "Bind users without proof although the environment is VERIFIED."),
        ],
        positionals: [PositionalSpec(name: "FILE", help: "A file, not compressed.")],
        examples: [
          "kits import installations devices.csv --app ID --dry-run",
          "kits import installations devices.csv --app ID --report faults.csv",
          "kits import installations devices.csv --app ID --resume",
        ],
        action: ImportInstallations.run)
    ])
}
