import Crypto
import KitsCore
import KitsStore

@testable import KitsDelivery

/// What tests mark deliveries with.
enum TestMarks {
  static let ring: KeyRing = {
    do {
      return try KeyRing(masterKeys: [(id: "k1", secret: SHA256.hash(Array("master".utf8)))], mintingID: "k1")
    } catch {
      preconditionFailure("a ring of one key: \(error)")
    }
  }()

  static let marker: DeliveryMarker = {
    guard let marker = DeliveryMarker(ring: ring) else { preconditionFailure("a short id") }
    return marker
  }()
}

extension WindowPlan {
  init(_ window: ChunkWindow, of message: DispatchableMessage) {
    self.init(window, of: message, marking: TestMarks.marker)
  }
}
