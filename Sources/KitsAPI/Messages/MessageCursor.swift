internal import Crypto
internal import KitsCore
internal import KitsStore

/// Cursors of lists of messages.
struct MessageCursor: Sendable {
  private let cursors: PageCursor

  init(keys: KeyRing) {
    cursors = PageCursor(keys: keys)
  }

  func write(_ position: MessageID, for selection: MessageSelection) throws(Problem) -> String {
    try cursors.write(position.uuid, for: list(selection))
  }

  /// nil unless it was written here for the same list.
  func read(_ text: String, for selection: MessageSelection) -> MessageID? {
    cursors.read(text, for: list(selection)).map(MessageID.init)
  }

  private func list(_ selection: MessageSelection) -> String {
    let state = selection.isPaused == true ? "paused" : selection.state?.name ?? "-"
    return "messages \(selection.environment.value) \(selection.app?.text ?? "-") \(state)"
  }
}
