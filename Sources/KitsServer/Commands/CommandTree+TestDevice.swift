extension CommandTree {
  private static let installation = PositionalSpec(name: "INSTALLATION_ID", help: "Id of the installation.")

  static let testDevice = CommandSpec(
    name: "test-device", summary: "Mark the devices of your team.",
    discussion: """
      A message to test_devices reaches them alone. The mark goes with the installation, and when a
      reinstall takes its place.
      """,
    subcommands: [
      CommandSpec(
        name: "add", summary: "Mark an installation as a test device.",
        discussion: "At most 100 of an app. Can be repeated.",
        positionals: [installation],
        examples: ["kits test-device add INSTALLATION_ID"],
        action: AddTestDevice.run),
      CommandSpec(
        name: "remove", summary: "Take the mark away.",
        discussion: "Can be repeated.",
        positionals: [installation],
        examples: ["kits test-device remove INSTALLATION_ID"],
        action: RemoveTestDevice.run),
      CommandSpec(
        name: "list", summary: "List the test devices of an environment.",
        discussion: "The newest installation first, at most 1,000.",
        options: [
          .value("environment", "ID", "Id of the environment.", required: true),
          .value("app", "ID", "Only those of this app."),
        ],
        examples: ["kits test-device list --environment ID", "kits test-device list --environment ID --app APP_ID"],
        action: ListTestDevices.run),
    ])
}
