/// The notifications that were taken: the newest ones whole, all of them as counts.
///
/// What has to be known about *every* notification to count duplicates (its id, its token, its token with collapse id)
/// is kept in a few bytes each, up to `Limits.identities`; past that `countsAreExact` turns false and says so.
struct Ledger: Sendable {
  struct Limits: Sendable {
    /// Whole notifications kept.
    var remember = 100_000
    /// Distinct ids, and distinct tokens, told apart.
    var identities = 5_000_000
  }

  let limits: Limits
  private(set) var accepted = 0
  /// Notifications whose `apns-id` had been taken before.
  private(set) var duplicateMessageIDs = 0
  /// Notifications that took the place of an earlier one on the device: same token and topic, same collapse id.
  private(set) var replaced = 0
  private(set) var countsAreExact = true

  /// A ring: once it is full, sequence n sits at (n - 1) % remember.
  private var newest: [Notification] = []
  private var byToken: [String: SequenceList] = [:]
  private var byMessageID: [UInt128: SequenceList] = [:]
  private var messageIDs = Set<UInt128>()
  private var tokens = Set<Int>()
  private var collapses = Set<Int>()

  init(limits: Limits) {
    self.limits = limits
  }

  var remembered: Int { newest.count }
  var distinctMessageIDs: Int { messageIDs.count }
  var distinctTokens: Int { tokens.count }

  /// `--fast` only counts.
  mutating func count(_ number: Int) {
    accepted += number
  }

  mutating func record(_ request: PushRequest, messageID: String, at microseconds: Int64, from origin: Origin) {
    accepted += 1
    let token = request.deviceToken
    let id = MessageID.number(messageID)
    identify(id, token: token, request)
    guard limits.remember > 0 else { return }
    let notification = Notification(
      sequence: accepted, messageID: messageID, deviceToken: token, headers: request.headers, payload: request.body,
      receivedMicroseconds: microseconds, connection: origin.connection, stream: origin.stream, status: origin.status)
    if newest.count < limits.remember {
      newest.append(notification)
    } else {
      let slot = (accepted - 1) % limits.remember
      forget(newest[slot])
      newest[slot] = notification
    }
    byToken[token, default: SequenceList()].append(accepted)
    byMessageID[id, default: SequenceList()].append(accepted)
  }

  /// The newest first.
  func notifications(token: String?, messageID: String?, limit: Int) -> [Notification] {
    if let messageID { return pick(byMessageID[MessageID.number(messageID)]?.newest(limit) ?? []) }
    if let token { return pick(byToken[token.lowercased()]?.newest(limit) ?? []) }
    guard accepted > 0, !newest.isEmpty else { return [] }
    return pick((accepted - newest.count + 1...accepted).suffix(limit))
  }

  /// Whether a notification for this device was ever taken.
  func hasSeen(token: String) -> Bool {
    tokens.contains(token.lowercased().hashValue)
  }

  private mutating func identify(_ id: UInt128, token: String, _ request: PushRequest) {
    guard messageIDs.count < limits.identities else {
      countsAreExact = false
      return
    }
    if !messageIDs.insert(id).inserted { duplicateMessageIDs += 1 }
    tokens.insert(token.hashValue)
    if let collapseID = request.value("apns-collapse-id") {
      var hasher = Hasher()
      hasher.combine(token)
      hasher.combine(request.value("apns-topic"))
      hasher.combine(collapseID)
      if !collapses.insert(hasher.finalize()).inserted { replaced += 1 }
    }
  }

  private func pick(_ sequences: some BidirectionalCollection<Int>) -> [Notification] {
    sequences.reversed().map { newest[($0 - 1) % limits.remember] }
  }

  private mutating func forget(_ old: Notification) {
    Self.drop(old.sequence, from: &byToken, old.deviceToken)
    Self.drop(old.sequence, from: &byMessageID, MessageID.number(old.messageID))
  }

  private static func drop<Key>(_ sequence: Int, from index: inout [Key: SequenceList], _ key: Key) {
    guard let position = index.index(forKey: key) else { return }
    if index.values[position].dropFirst(ifEqualTo: sequence) { index.remove(at: position) }
  }
}

extension Ledger {
  /// Where a notification came from and what became of it.
  struct Origin {
    let connection: Int
    let stream: Int32
    let status: Int
  }
}
