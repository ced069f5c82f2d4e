import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@testable import KitsServer

/// The alert rules and the dashboard use what a node really exposes.
@Suite("Alert rules and dashboard")
struct AlertTests {
  static let promtool = ["/usr/local/bin/promtool", "/usr/bin/promtool"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private static let directory = TestCluster.repository + "/deploy/prometheus"

  @Test(
    "promtool takes the rules; each comes when it should, and a healthy node raises none",
    .enabled(if: promtool != nil, "promtool comes with deploy/install-packages"),
    arguments: [["check", "rules", "kits.rules.yml"], ["test", "rules", "kits.rules.test.yml"]])
  func rules(command: [String]) throws {
    let file = "\(Self.directory)/\(command[2])"
    let output = Shell.run([try #require(Self.promtool), command[0], command[1], file])
    #expect(output.status == 0 && output.text.contains("SUCCESS"), "\(output.text)")
  }

  @Test("Every metric that the rules and the dashboard name is in the manual, with every label")
  func names() throws {
    let rules = try ManualTests.text("deploy/prometheus/kits.rules.yml")
    let dashboard = try ManualTests.text("deploy/grafana/kits.json")
    let exposed = try Self.exposed()
    let used = Self.metrics(in: Self.expressions(rules) + dashboard)
    #expect(used.count > 40)
    for name in used.sorted() { #expect(exposed.contains(name), "\(name)") }
    // And the rules are about what the tests of the rules feed them.
    let tested = Self.metrics(in: try ManualTests.text("deploy/prometheus/kits.rules.test.yml"))
    #expect(Self.metrics(in: Self.expressions(rules)).subtracting(tested) == ["kits_keys_unusable_total"])
  }

  @Test("Every alert has a section of the manual, and the manual no other")
  func runbook() throws {
    let rules = try ManualTests.text("deploy/prometheus/kits.rules.yml")
    let manual = try ManualTests.text("docs/operations.md")
    let alerts = rules.matches(of: /- alert: (\w+)/).map { String($0.output.1) }
    #expect(alerts.count == Set(alerts).count && alerts.count >= 19)
    let sections = manual.matches(of: /(?m)^### (Kits\w+)$/).map { String($0.output.1) }
    #expect(sections == alerts)
    for alert in alerts {
      #expect(rules.contains("runbook_url: docs/operations.md#\(alert.lowercased())\n"), "\(alert)")
    }
  }

  @Test("The dashboard is JSON whose panels don't overlap, each with a query")
  func dashboard() throws {
    let json = try JSON.parse(Array(try ManualTests.text("deploy/grafana/kits.json").utf8))
    let panels = try #require(json.object?["panels"]?.array).compactMap(\.object)
    var taken: Set<[Int64]> = []
    for panel in panels {
      let title = panel["title"]?.string ?? ""
      let place = try #require(panel["gridPos"]?.object)
      func number(_ name: String) throws -> Int64 { try #require(place[name]?.integer) }
      for x in try number("x")..<(try number("x") + number("w")) {
        for y in try number("y")..<(try number("y") + number("h")) {
          #expect(taken.insert([x, y]).inserted && x < 24, "\(title)")
        }
      }
      if panel["type"]?.string != "row" { #expect(panel["targets"]?.array?.isEmpty == false, "\(title)") }
    }
    #expect(panels.count > 30)
  }

  /// What follows `expr:`, up to the next member of a rule.
  private static func expressions(_ rules: String) -> String {
    rules.matches(of: /(?s)expr: (.*?)\n +(?:for|labels):/).map { String($0.output.1) }.joined(separator: "\n")
  }

  /// Names without the suffixes of histograms.
  private static func metrics(in text: String) -> Set<String> {
    Set(
      text.matches(of: /\b((?:kits|process)_[a-z_]+[a-z])\b/).map {
        String($0.output.1).replacing(/_(bucket|sum|count)$/, with: "")
      })
  }

  /// The names that a node registers.
  private static func exposed() throws -> Set<String> {
    Set(ManualTests.registry().snapshot().map(\.name))
  }
}
