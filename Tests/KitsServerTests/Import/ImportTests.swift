import Foundation
import TestSupport
import Testing

@testable import KitsServer

@Suite("kits import installations")
struct ImportTests {
  static let text = """
    push_token,external_id,language,tags.plan,session_count,last_session
    tok-1,user-1,de-DE,pro,5,2024-05-01T12:00:00Z
    tok-2,,en,,,
    tok-3,user-3,germanish,,,
    tok-1,someone-else,,,,

    """

  static let imported = [
    "tok-1|2|1|1|0|t|user-1|f|de-de|15|t|f|{\"plan\": \"pro\"}|2024-05-01 12:00:00+00|2024-05-01 12:00:00+00|5|0|t|t",
    "tok-2|2|1|1|0|t|f|en|15|t|f|{}|0|0|t|t",
  ]

  @Test("Rows become installations, wrong ones are refused by themselves, and the same file changes nothing again")
  func twice() async throws {
    try await ImportScene.with { scene in
      try await ImportScene.file(Self.text) { path in
        let first = try await scene.imported(path)
        #expect(first.status == 1)
        #expect(
          first.standardOutput.contains(
            #""rows":4,"imported":2,"existing":1,"skipped":0,"refused":1,"erased":0,"faults":{"BAD_FORMAT":1}}"#))
        #expect(first.standardError == "kits: 1 of 4 rows were refused; the others were imported\n")
        #expect(try await scene.installations() == Self.imported)
        #expect(try await scene.texts("SELECT key FROM tag_key") == ["plan"])
        let whole = "SELECT i::text FROM installation i ORDER BY 1"
        let before = try await scene.texts(whole)
        let second = try await scene.imported(path)
        #expect(second.standardOutput.contains(#""imported":0,"existing":3,"skipped":0,"refused":1"#))
        #expect(try await scene.texts(whole) == before)
        #expect(
          try await scene.texts(
            "SELECT (changes -> 'settings')::text FROM audit_entry WHERE action = 'installations.imported'")
            == Array(repeating: #"[null, "format csv, external ids taken, unknown refused"]"#, count: 2))
      }
    }
  }

  @Test("A dry run checks everything and writes nothing but its report")
  func dryRun() async throws {
    try await ImportScene.with { scene in
      try await ImportScene.file(Self.text) { path in
        let report = path + ".faults"
        defer { unlink(report) }
        let ending = try await scene.run(
          "import", "installations", path, "--app", scene.appID, "--dry-run", "--report", report)
        #expect(ending.status == 1)
        #expect(ending.standardError.contains("line 4, language: BAD_FORMAT: It must be a BCP 47 language tag"))
        #expect(ending.standardError.contains("100% "))
        #expect(ending.standardOutput.contains("dry_run   yes\nrows      4\nimported  3\n"))
        #expect(
          try String(contentsOfFile: report, encoding: .utf8)
            == "line,column,code,detail\r\n4,language,BAD_FORMAT,\"It must be a BCP 47 language tag, like de-DE.\"\r\n")
        for table in ["installation", "token_owner", "import_run", "imported_installation"] {
          #expect(try await scene.texts("SELECT count(*)::text FROM \(table)") == ["0"])
        }
      }
    }
  }

  @Test("With --resume a finished import is only told, and another way of reading is refused")
  func resumeFinished() async throws {
    try await ImportScene.with { scene in
      try await ImportScene.file("push_token\ntok-1\n") { path in
        // Without an earlier run it begins one.
        let first = try await scene.imported(path, "--resume")
        #expect(first.status == 0)
        let again = try await scene.imported(path, "--resume")
        #expect(again.standardOutput == first.standardOutput)
        let other = try await scene.imported(path, "--resume", "--anonymous")
        #expect(other.status == 1)
        #expect(other.standardError.contains("was begun otherwise (format csv, external ids taken, unknown refused)"))
      }
    }
  }

  @Test("In a VERIFIED environment nobody is bound without proof, unless the operator vouches for the file (K19)")
  func verified() async throws {
    try await ImportScene.with { scene in
      let mode = try await scene.texts("UPDATE environment SET auth_mode = 2 RETURNING auth_mode::text")
      #expect(mode == ["2"])
      try await ImportScene.file("push_token,external_id\ntok-1,user-1\ntok-2,\n") { path in
        let refused = try await scene.imported(path)
        #expect(refused.standardOutput.contains(#""imported":1"#) && refused.standardOutput.contains("NOT_ALLOWED"))
        let bound = "SELECT concat_ws('|', push_token, external_id, verified) FROM installation ORDER BY push_token"
        #expect(try await scene.texts(bound) == ["tok-2|f"])
        #expect(try await scene.imported(path, "--trust-external-ids").status == 0)
        #expect(try await scene.texts(bound) == ["tok-1|user-1|f", "tok-2|f"])
      }
      try await ImportScene.file("push_token,external_id\ntok-3,user-3\n") { path in
        let ending = try await scene.imported(path, "--anonymous")
        #expect(ending.status == 0)
        #expect(try await scene.texts("SELECT count(*)::text FROM installation WHERE external_id = 'user-3'") == ["0"])
      }
    }
  }

  @Test("An old file brings nobody back who was erased")
  func erased() async throws {
    try await ImportScene.with { scene in
      #expect(try await scene.run("user", "erase", "user-1", "--environment", scene.environmentID).status == 0)
      try await ImportScene.file("push_token,external_id,tags.a\ntok-1,user-1,x\ntok-2,user-2,x\n") { path in
        let ending = try await scene.imported(path)
        #expect(ending.status == 0)
        #expect(ending.standardOutput.contains(#""imported":1,"existing":0,"skipped":0,"refused":0,"erased":1"#))
        #expect(try await scene.texts("SELECT push_token FROM installation") == ["tok-2"])
      }
    }
  }

  @Test(
    "What is wrong on the command line is told",
    arguments: [
      (["--app", "1"], "--app must be an id like", 64),
      (["--app", "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"], "there is no app", 1),
      (["--app", "APP", "--format", "xml"], "--format must be one of csv, jsonl, onesignal", 64),
      (["--app", "APP", "--report", "/nowhere/x"], "can't write /nowhere/x", 1),
    ])
  func usage(words: [String], sentence: String, status: Int32) async throws {
    try await ImportScene.with { scene in
      try await ImportScene.file("push_token\ntok-1\n") { path in
        let words = words.map { $0 == "APP" ? scene.appID : $0 }
        let ending = try await KitsProcess(
          ["import", "installations", path] + words, environment: scene.environment
        ).ending()
        #expect(ending.status == status)
        #expect(ending.standardError.contains(sentence), "\(ending.standardError)")
      }
      let missing = try await scene.imported("/nowhere/x")
      #expect(missing.status == 1 && missing.standardError.contains("can't open /nowhere/x"))
      let folder = try await scene.imported("/tmp")
      #expect(folder.status == 1 && folder.standardError.contains("/tmp is not a file"))
    }
  }
}
