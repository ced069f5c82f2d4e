/// How far a message is, by the database.
struct MessageProgress {
  let database: Database
  let app: Int
  let id: String

  var isSettled: Bool {
    get throws(BenchError) { try column("settled") == "t" }
  }

  var isPlanned: Bool {
    get throws(BenchError) { try column("plan_done") == "t" }
  }

  var planned: Int {
    get throws(BenchError) { Int(try column("planned")) ?? 0 }
  }

  /// Of its ledger.
  var accepted: Int {
    get throws(BenchError) {
      try database.number(
        """
        SELECT l.accepted FROM message_ledger l JOIN message m USING (app_no, message_no)
        WHERE m.app_no = \(app) AND m.message_id = '\(id)'
        """)
    }
  }

  private func column(_ name: String) throws(BenchError) -> String {
    try database.value("SELECT \(name) FROM message WHERE app_no = \(app) AND message_id = '\(id)'")
  }
}
