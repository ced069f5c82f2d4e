extension CommandTree {
  private static let userEnvironment = OptionSpec.value(
    "environment", "ID", "Id of the environment.", required: true)
  private static let externalID = PositionalSpec(
    name: "EXTERNAL_ID", help: "The customer's id of the user; `-` reads it from stdin.")

  static let user = CommandSpec(
    name: "user", summary: "Show and erase users.",
    subcommands: [
      CommandSpec(
        name: "show", summary: "Show the installations that are bound to a user.",
        discussion: "The newest first, at most 100.",
        options: [userEnvironment], positionals: [externalID],
        examples: ["kits user show user-4711 --environment ID"],
        action: ShowUser.run),
      CommandSpec(
        name: "erase", summary: "Erase a user.",
        discussion: """
          In all apps of the environment. Its installations become anonymous, without tags; what Kits
          remembers of its logins goes; pushes that wait for it are not sent. Identity tokens that were
          issued before bind nobody; with a newer one the user may log in again. Can be repeated.
          """,
        options: [userEnvironment], positionals: [externalID],
        examples: ["kits user erase user-4711 --environment ID", "kits user erase - --environment ID < id.txt"],
        action: EraseUser.run),
    ])
}
