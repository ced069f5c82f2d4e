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
      filter: try StoredFilter.read(row.json()), includesAnonymous: try row.bool(), revision: try row.int64(),
      createdAt: Timestamp(microseconds: try row.timestamp()),
      updatedAt: Timestamp(microseconds: try row.timestamp()))
  }
}
