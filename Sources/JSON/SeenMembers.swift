/// Which members of one object were read. A class, because readers are passed by value; it stays within one decode.
final class SeenMembers {
  private var seen: [Bool]

  init(count: Int) {
    seen = [Bool](repeating: false, count: count)
  }

  func mark(_ index: Int) { seen[index] = true }
  func contains(_ index: Int) -> Bool { seen[index] }
}
