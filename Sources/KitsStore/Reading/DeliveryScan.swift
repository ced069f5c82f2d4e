import KitsCore

/// How much of a message is looked through for one page: what a filter costs when nothing matches.
struct DeliveryScan: Sendable, Equatable {
  /// Chunks whose outcome bytes are searched.
  let chunks: Int32
  /// Members that are looked at one by one, of chunks that have what is searched for. The chunk that reaches the number
  /// is still looked through.
  let members: Int64

  /// Whatever is asked for, about 20 ms of a message to a million.
  init(_ selection: DeliverySelection, from position: DeliveryPosition, limit: Int32) {
    if selection != DeliverySelection() {
      self.init(chunks: 1_000, members: 10_000)
    } else {
      // Every member is wanted. Those of the first chunk up to the position are passed over.
      self.init(chunks: 200, members: Int64(position.index) + 2 + Int64(limit))
    }
  }

  init(chunks: Int32, members: Int64) {
    self.chunks = chunks
    self.members = members
  }
}
