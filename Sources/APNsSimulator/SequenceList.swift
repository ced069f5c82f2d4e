/// Ascending sequence numbers that are added at one end and leave at the other, both at constant cost: one device may
/// get every notification of a benchmark.
struct SequenceList: Sendable {
  private var numbers: [Int] = []
  /// Numbers before this have left; the space is given back when it is more than half.
  private var first = 0

  mutating func append(_ number: Int) {
    numbers.append(number)
  }

  func newest(_ limit: Int) -> ArraySlice<Int> {
    numbers[first...].suffix(limit)
  }

  /// True when that was the last one.
  mutating func dropFirst(ifEqualTo number: Int) -> Bool {
    // Notifications are forgotten in the order they came, so the one that leaves is always the first.
    guard first < numbers.count, numbers[first] == number else { return false }
    first += 1
    if first == numbers.count { return true }
    if first > 32, first * 2 > numbers.count {
      numbers.removeFirst(first)
      first = 0
    }
    return false
  }
}
