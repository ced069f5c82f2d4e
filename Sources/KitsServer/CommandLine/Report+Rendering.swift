internal import JSON

extension Report {
  /// One JSON object on one line.
  var json: String { Value.object(fields).json + "\n" }

  /// The value of one field: strings without quotes, lists one element per line, the rest as JSON.
  func field(_ name: String) throws(CommandFailure) -> String {
    guard let field = fields.first(where: { $0.name == name }) else {
      let names = fields.map(\.name)
      let hint = Suggestion.nearest(to: name, in: names).map { "; did you mean `\($0)`?" } ?? ""
      throw .usage("no field `\(LogText.escaped(name))` in \(names.joined(separator: ", "))\(hint)")
    }
    switch field.value {
    case .list(let elements): return elements.map { $0.raw + "\n" }.joined()
    case .table(let columns, let rows):
      return rows.map { Value.object(zip(columns, $0).map { Field($0, $1) }).json + "\n" }.joined()
    default: return field.value.raw + "\n"
    }
  }

  /// Names in a column, values beside it; tables with their columns aligned.
  var text: String {
    let width = fields.filter { !$0.value.isTable }.map(\.name.count).max() ?? 0
    return fields.map { field in
      if case .table(let columns, let rows) = field.value { return Report.table(field.name, columns, rows) }
      return field.name + Report.spaces(width - field.name.count + 2) + field.value.shown + "\n"
    }.joined()
  }

  private static func table(_ name: String, _ columns: [String], _ rows: [[Value]]) -> String {
    if rows.isEmpty { return "no \(name)\n" }
    let lines = [columns] + rows.map { $0.map(\.shown) }
    let widths = columns.indices.map { column in
      lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return lines.map { line in
      let last = line.count - 1
      return line.indices.map { column in
        column == last ? line[column] : line[column] + spaces(widths[column] - line[column].count + 2)
      }.joined() + "\n"
    }.joined()
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

extension Report.Value {
  var isTable: Bool {
    if case .table = self { true } else { false }
  }

  var json: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .string(let text): writer.value(text)
    case .integer(let number): writer.value(number)
    case .number(let number): writer.value(number)
    case .flag(let flag): writer.value(flag)
    case .null: writer.null()
    case .list(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let fields):
      writer.beginObject()
      for field in fields {
        writer.key(field.name)
        field.value.write(to: &writer)
      }
      writer.endObject()
    case .table(let columns, let rows):
      let objects = rows.map { Report.Value.object(zip(columns, $0).map { Report.Field($0, $1) }) }
      Report.Value.list(objects).write(to: &writer)
    }
  }

  /// For scripts: a string as it is.
  var raw: String {
    if case .string(let text) = self { return text }
    return json
  }

  /// For people: no quotes, nothing that drives the terminal.
  var shown: String {
    switch self {
    case .string(let text): LogText.escaped(text)
    case .null: "-"
    case .flag(let flag): flag ? "yes" : "no"
    case .list(let elements): elements.isEmpty ? "-" : elements.map(\.shown).joined(separator: " ")
    default: json
    }
  }
}
