internal import Crypto
internal import FoundationEssentials
internal import KitsCore
internal import KitsStore

/// Cursors of lists of deliveries.
struct DeliveryCursor: Sendable {
  private let cursors: PageCursor

  init(keys: KeyRing) {
    cursors = PageCursor(keys: keys)
  }

  func write(
    _ position: DeliveryPosition, for message: ReadableMessage, _ selection: DeliverySelection
  ) throws(Problem) -> String {
    var place = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuid
    withUnsafeMutableBytes(of: &place) { bytes in
      bytes.storeBytes(of: position.chunk.bigEndian, toByteOffset: 8, as: Int32.self)
      bytes.storeBytes(of: position.index.bigEndian, toByteOffset: 12, as: Int32.self)
    }
    return try cursors.write(UUID(uuid: place), for: list(message, selection))
  }

  /// nil unless it was written here for the same list.
  func read(_ text: String, for message: ReadableMessage, _ selection: DeliverySelection) -> DeliveryPosition? {
    cursors.read(text, for: list(message, selection)).map { place in
      withUnsafeBytes(of: place.uuid) { bytes in
        DeliveryPosition(
          chunk: Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int32.self)),
          index: Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: Int32.self)))
      }
    }
  }

  private func list(_ message: ReadableMessage, _ selection: DeliverySelection) -> String {
    let event = selection.event.map { "\($0.isThere ? "" : "not ")\($0.type.rawValue)" } ?? "-"
    // The reason comes last: it is a client's text.
    return "deliveries \(message.app.value) \(message.number.value) \(selection.outcome?.name ?? "-") \(event) "
      + (selection.reason.map { "=\($0)" } ?? "-")
  }
}
