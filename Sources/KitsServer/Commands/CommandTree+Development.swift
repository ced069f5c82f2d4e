extension CommandTree {
  static let development = CommandSpec(
    name: "dev", summary: "Help with trying and measuring.",
    subcommands: [
      CommandSpec(
        name: "populate", summary: "Make up installations.",
        discussion: """
          A believable mix of versions, languages, time zones, sessions, tags and users, the same for
          the same seed: running it again adds nothing, with a larger N the rest. Some have a push
          token that starts with `\(Population.deadPrefix)`: tell the APNs simulator to answer 410 for
          that prefix. None of the devices exists, so never do this to an app that pushes to Apple.
          """,
        options: [
          .value("app", "ID", "Id of the app.", required: true),
          .value("seed", "S", "A number; 1 when absent."),
        ],
        positionals: [PositionalSpec(name: "N", help: "How many.")],
        examples: ["kits dev populate 100000 --app ID", "kits dev populate 1000000 --app ID --seed 7"],
        action: PopulateApp.run)
    ])
}
