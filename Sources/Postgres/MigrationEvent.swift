package enum MigrationEvent: Sendable, Equatable {
  case waitingForLock
  case applying(version: Int, name: String)
  /// A lock that the migration needs is taken; it is tried again so that nobody queues behind it.
  case retrying(version: Int)
  case droppedInvalidIndex(String)
  case applied(version: Int, milliseconds: Int)
}
