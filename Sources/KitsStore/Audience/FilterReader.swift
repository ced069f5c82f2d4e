package import JSON
package import KitsCore

/// Reads a filter from JSON, strictly: whatever doesn't fit is a fault with its pointer. Requests and stored segments
/// are read by the same rules.
package struct FilterReader {
  private var leaves = 0
  private let deepest: Int
  private let mostLeaves: Int
  /// Parts of `any`.
  private let fewest: Int

  private init(deepest: Int, mostLeaves: Int, fewest: Int) {
    self.deepest = deepest
    self.mostLeaves = mostLeaves
    self.fewest = fewest
  }

  /// Nil when there is nothing to be had. Whether it is good, the collector knows: a needless member is a fault, too.
  package static func read(_ element: ElementReader) -> Filter? {
    var reader = FilterReader(deepest: Limits.filterDepth, mostLeaves: Limits.filterLeaves, fewest: 1)
    return reader.filter(element, depth: 1)
  }

  /// The same of an audience that was made of several filters, each of which was within its limits.
  static func readResolved(_ element: ElementReader) -> Filter? {
    var reader = FilterReader(deepest: .max, mostLeaves: .max, fewest: 0)
    return reader.filter(element, depth: 1)
  }

  private static let nodes = ["all", "any", "not", "field"]

  private mutating func filter(_ element: ElementReader, depth: Int) -> Filter? {
    guard depth <= deepest else {
      return element.refuse(.tooMany, "It nests deeper than \(deepest) levels.")
    }
    guard let object = element.object() else { return nil }
    let kinds = Self.nodes.filter(object.has)
    guard kinds.count == 1 else {
      return element.refuse(
        kinds.isEmpty ? .missing : .conflict,
        kinds.isEmpty
          ? "One of all, any, not and field is required." : "It must have only one of all, any, not and field.")
    }
    let filter = node(kinds[0], object, element, depth: depth)
    object.refuseUnknown()
    return filter
  }

  private mutating func node(
    _ kind: String, _ object: ObjectReader, _ element: ElementReader, depth: Int
  ) -> Filter? {
    switch kind {
    case "all":
      return group(object.requiredArray("all", count: 0...mostLeaves), element, depth).map(Filter.all)
    case "any":
      return group(object.requiredArray("any", count: fewest...mostLeaves), element, depth).map(Filter.any)
    case "not":
      guard let member = object.requiredMember("not") else { return nil }
      return filter(member, depth: depth + 1).map(Filter.not)
    default:
      let condition = FilterConditionReader(object).read()
      guard count(element) else { return nil }
      return condition.map(Filter.condition)
    }
  }

  private mutating func group(_ members: [ElementReader]?, _ element: ElementReader, _ depth: Int) -> [Filter]? {
    guard let members else { return nil }
    if members.isEmpty, !count(element) { return nil }
    var filters: [Filter] = []
    for member in members {
      guard leaves <= mostLeaves else { return nil }
      if let filter = filter(member, depth: depth + 1) { filters.append(filter) }
    }
    return filters.count == members.count ? filters : nil
  }

  /// False when there are too many, which is said once: reading ends there.
  private mutating func count(_ element: ElementReader) -> Bool {
    leaves += 1
    guard leaves > mostLeaves else { return true }
    element.refuse(.tooMany, "The filter has more than \(mostLeaves) conditions.")
    return false
  }
}
