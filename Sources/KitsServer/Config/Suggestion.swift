/// Finds what somebody probably meant to type.
enum Suggestion {
  /// Longer input is no typing slip, and the distance costs the product of both lengths.
  static let longest = 64

  /// The closest candidate within a third of the word's length.
  static func nearest(to word: String, in candidates: [String]) -> String? {
    guard word.utf8.count <= longest else { return nil }
    let scored = candidates.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }
    guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(1, word.utf8.count / 3) else { return nil }
    return best.0
  }

  /// Optimal string alignment: insert, delete, replace, and swap of neighbours count one each.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let cost = left[row] == right[column] ? 0 : 1
        var best = min(previous[column + 1] + 1, current[column] + 1, previous[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforePrevious[column - 1] + 1)
        }
        current.append(best)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
