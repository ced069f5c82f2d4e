package import KitsCore

/// What a database server says of itself.
package struct ServerDiagnosis: Sendable, Equatable {
  package let version: String
  package let synchronousCommit: String
  package let fsync: String
  package let fullPageWrites: String
  /// For everybody but superusers.
  package let connectionLimit: Int32
  package let connections: Int64
  package let now: Timestamp
  package let isStandby: Bool
}

/// How the open work is held.
package struct WorkDiagnosis: Sendable, Equatable {
  /// Due chunks that a node holds.
  package let held: Int64
  /// Due chunks that nobody holds.
  package let waiting: Int64
  /// Chunks whose lease ended over a minute ago, and which nobody took over.
  package let overdue: Int64
  package let overdueSeconds: Int64
  /// Chunks whose lease lasts longer than any lease can.
  package let endless: Int64
  /// Retries that were due over five minutes ago and that nobody holds.
  package let retriesOverdue: Int64
  package let retriesEndless: Int64
  /// Messages whose planning nobody does although it was due over a minute ago.
  package let unplanned: Int64
}

/// Something that keeps old row versions, or the log, from being cleaned up.
package struct LongTransaction: Sendable, Equatable {
  package enum Kind: Int32, Sendable {
    case transaction = 1
    /// A prepared transaction that nobody ended.
    case prepared = 2
    /// A replication slot that nobody reads.
    case slot = 3
  }

  package let kind: Kind
  /// The application, the global id or the slot.
  package let name: String
  /// Of the process; 0 when there is none.
  package let processID: Int32
  package let state: String
  /// 0 for a slot.
  package let seconds: Int64
  package let holdsSnapshot: Bool
}

/// An app and its key as they are stored.
package struct AppDiagnosis: Sendable {
  package let id: AppID
  package let name: String
  package let bundleID: String
  package let platforms: [Platform]
  package let key: SealedAPNsKey?
}
