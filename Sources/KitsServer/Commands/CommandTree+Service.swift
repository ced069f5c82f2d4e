extension CommandTree {
  static let serve = CommandSpec(
    name: "serve", summary: "Run the API and the delivery service.",
    discussion: """
      Runs until SIGTERM or SIGINT, then stops accepting, finishes what is under way for at most
      KITS_DRAIN_SECONDS and exits 0; a second signal exits at once. Any number of processes may
      serve one database. Refuses to start on a schema that `kits migrate` has not brought up to date.
      """,
    options: [.value("only", "PART", "Run one half.", choices: ["api", "delivery"])],
    examples: ["kits serve", "kits serve --only delivery"],
    handlesSignals: true,
    action: Serve.run)

  static let migrate = CommandSpec(
    name: "migrate", summary: "Bring the database schema up to date.",
    discussion: "Safe to run again and safe while older processes serve. Needs KITS_DATABASE_URL.",
    examples: ["kits migrate", "kits migrate --json"],
    action: Migrate.run)

  static let doctor = CommandSpec(
    name: "doctor", summary: "Examine settings, database, work, keys and APNs, and say what to do.",
    discussion: """
      Changes nothing, and may run beside serving nodes at any time. Sends one request per app and
      APNs environment to a device token that no device has: `BadDeviceToken` proves key, team, topic
      and environment. Ends with 0 when all is well and with 1 when something needs action. Needs the
      settings of `kits serve`.
      """,
    examples: ["kits doctor", "kits doctor --json", "kits doctor --field findings"],
    action: RunDoctor.run)
}
