import JSON

/// The table, and the same as JSON.
struct Report {
  let machine: Machine
  let figures: [Figure]

  /// Ratios first.
  var text: String {
    let ordered = figures.filter { $0.ratio != nil } + figures.filter { $0.ratio == nil }
    let head = ["ratio", "target", "", "what", "Kits", "reference", "", "unit", "notes"]
    let rows = [head] + ordered.map(cells)
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let isNumber: Set<Int> = [0, 4, 5]
    let lines = rows.map { row in
      row.indices.map { Text.padded(row[$0], widths[$0], right: isNumber.contains($0)) }.joined(separator: "  ")
        .trimmingTrailingSpaces
    }
    return ([machine.text, ""] + lines).joined(separator: "\n")
  }

  private func cells(_ figure: Figure) -> [String] {
    [
      figure.ratio.map(Text.number) ?? "", figure.target?.text ?? "",
      figure.isMet.map { $0 ? "met" : "MISSED" } ?? "", figure.name, Text.number(figure.value),
      figure.reference.map(Text.number) ?? "", figure.referenceName, figure.unit, figure.note,
    ]
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("machine", machine.text)
    writer.key("figures")
    writer.beginArray()
    for figure in figures {
      writer.beginObject()
      writer.member("name", figure.name)
      writer.member("value", figure.value)
      writer.member("unit", figure.unit)
      if let reference = figure.reference {
        writer.member("reference", reference)
        writer.member("reference_name", figure.referenceName)
      }
      if let ratio = figure.ratio { writer.member("ratio", ratio) }
      if let target = figure.target { writer.member("target", target.text) }
      if let isMet = figure.isMet { writer.member("met", isMet) }
      writer.member("note", figure.note)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes + [0x0A]
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
  }
}
