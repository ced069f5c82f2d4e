/// What a device calls a delivery that it got (`kits_delivery_id`): which one it is, for whom it was meant, and what
/// its message tracks. It travels with a MAC (`Crypto`), so that it can be believed without reading anything; this is
/// its layout.
///
/// The same delivery under the same binding has the same id on every node and with every attempt.
package struct DeliveryID: Hashable, Sendable {
  package let address: DeliveryAddress
  package let installation: InstallationNumber
  /// The binding that the installation had when the delivery was handed over.
  package let binding: Int64
  package let tracking: MessageTracking

  package init(
    address: DeliveryAddress, installation: InstallationNumber, binding: Int64, tracking: MessageTracking
  ) {
    self.address = address
    self.installation = installation
    self.binding = binding
    self.tracking = tracking
  }

  /// Of `bytes`, without the MAC.
  package static let byteCount = MarkHeader.byteCount + 8 + 8 + 4 + 4 + 8 + 8 + 1
  /// In base64url with the MAC behind.
  package static let textBytes = (byteCount + MarkHeader.macBytes) * 4 / 3

  /// Header, then the fields at fixed widths, big-endian.
  package func bytes(_ header: MarkHeader) -> [UInt8] {
    var bytes = header.bytes
    bytes.reserveCapacity(Self.byteCount + MarkHeader.macBytes)
    Self.append(address.app.value, to: &bytes)
    Self.append(address.message.value, to: &bytes)
    Self.append(address.chunk, to: &bytes)
    Self.append(address.index, to: &bytes)
    Self.append(installation.value, to: &bytes)
    Self.append(binding, to: &bytes)
    bytes.append(tracking.rawValue)
    return bytes
  }

  /// Of bytes whose MAC is right.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    var rest = bytes.dropFirst(MarkHeader.byteCount)
    func take<Value: FixedWidthInteger>() -> Value {
      defer { rest = rest.dropFirst(MemoryLayout<Value>.size) }
      return rest.prefix(MemoryLayout<Value>.size).reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
    address = DeliveryAddress(
      app: AppNumber(take()), message: MessageNumber(take()), chunk: take(), index: take())
    installation = InstallationNumber(take())
    binding = take()
    tracking = MessageTracking(rawValue: take())
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
