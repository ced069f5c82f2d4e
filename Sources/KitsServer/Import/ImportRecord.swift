/// One row of a file.
struct ImportRecord: Sendable, Equatable {
  /// The first of its lines, counted from 1.
  let line: Int64
  let content: Content

  enum Content: Sendable, Equatable {
    /// The cells of a CSV file; nil where one isn't UTF-8.
    case cells([String?])
    /// A line of JSON.
    case text([UInt8])
    /// It can't be read as a row.
    case broken(ImportFault.Code, String)
  }
}
