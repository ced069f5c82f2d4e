internal import CPostgres

extension Command {
  /// Hands the statement to libpq's buffer; binary values, binary answer. 0 when libpq refuses.
  func send(over pointer: OpaquePointer, prepared name: String?) -> Int32 {
    parameters.bytes.withUnsafeBufferPointer { buffer in
      let slots = parameters.slots
      let base = UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
      let values = slots.map { slot in slot.length == nil ? nil : base.map { $0 + slot.offset } }
      let lengths = slots.map { Int32($0.length ?? 0) }
      let formats = [Int32](repeating: 1, count: slots.count)
      let count = Int32(slots.count)
      if let name { return PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1) }
      return PQsendQueryParams(pointer, sql, count, slots.map(\.type), values, lengths, formats, 1)
    }
  }
}
