/// The request target as the library first found it, before it cut and decoded it.
struct TargetPlace: Sendable {
  let address: UInt
  let length: Int
  let text: String
}
