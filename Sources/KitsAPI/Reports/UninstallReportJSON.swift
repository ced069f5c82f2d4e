internal import JSON
internal import KitsCore

/// `UninstallReport` of the contract.
enum UninstallReportJSON {
  static func report(_ report: UninstallReport, app: AppID, days: ClosedRange<Day>) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("app_id", app)
    json.member("from", days.lowerBound.text)
    json.member("to", days.upperBound.text)
    json.member("time_zone", "UTC")
    json.member("group_by", report.grouping.name)
    json.key("total")
    json.beginObject()
    write(report.total, &json)
    json.endObject()
    json.key("days")
    json.beginArray()
    for day in report.days { write(day, report.grouping, &json) }
    json.endArray()
    json.endObject()
    return json
  }

  private static func write(
    _ day: UninstallReport.DayCounts, _ grouping: UninstallReport.Grouping, _ json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("day", day.day.text)
    write(day.counts, &json)
    json.key("groups")
    json.beginArray()
    for (group, counts) in day.groups {
      json.beginObject()
      json.member(grouping.member, group.text)
      json.member("rest", group == .rest)
      write(counts, &json)
      json.endObject()
    }
    json.endArray()
    json.endObject()
  }

  private static func write(_ counts: DeviceCounts, _ json: inout JSONWriter) {
    json.member("installs", counts.installs)
    json.member("uninstalls", counts.uninstalls)
    json.member("taken_back", counts.takenBack)
    json.member("net", counts.net)
  }
}

extension UninstallReport.Grouping {
  var name: String? {
    switch self {
    case .none: nil
    case .platform: "platform"
    case .version: "version"
    }
  }

  /// Under which name a group says what it is.
  var member: String { self == .version ? "app_version" : "platform" }
}

extension UninstallReport.Group {
  /// Nil for versions that nobody told, and for the rest.
  var text: String? {
    switch self {
    case .platform(let platform): platform.name
    case .version(let version): version
    case .rest: nil
    }
  }
}
