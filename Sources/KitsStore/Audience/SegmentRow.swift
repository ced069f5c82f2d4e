import JSON
import KitsCore
import Postgres

/// The columns of a segment in the order in which `decode` reads them; queries name the rows `s` and `a` (its app).
enum SegmentRow {
  static let columns = """
    s.segment_id, a.app_id, s.name, s.filter, s.include_anonymous, s.revision, s.created_at, s.updated_at
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Segment {
    Segment(
      id: SegmentID(try row.uuid()), app: AppID(try row.uuid()), name: try row.string(),
      filter: try filter(row.json()), includesAnonymous: try row.bool(), revision: try row.int64(),
      createdAt: Timestamp(microseconds: try row.timestamp()),
      updatedAt: Timestamp(microseconds: try row.timestamp()))
  }

  /// What was stored was read by the same rules before, so a fault means that somebody else wrote it.
  static func filter(_ json: [UInt8]) throws(PostgresError) -> Filter {
    let faults = FaultCollector()
    guard let value = try? JSON.parse(json), let filter = FilterReader.read(ElementReader(value, into: faults)),
      faults.isEmpty
    else { throw .decode("a stored filter can't be read") }
    return filter
  }
}
