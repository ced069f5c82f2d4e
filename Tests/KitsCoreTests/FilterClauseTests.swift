import KitsCore
import Testing

@Suite("Which clauses of a filter decide")
struct FilterClauseTests {
  static let ios = Filter.condition(.platform(.one(.ios)))
  static let known = Filter.condition(.identified(true))
  static let german = Filter.condition(.language(.one(LanguageTag(trusted: "de"))))

  static func found(_ filter: Filter, _ answers: [Bool]) -> [String] {
    filter.clausesAgainst(answers).map { "\($0.pointer) \($0.matches)" }
  }

  @Test("of all, those that fail; of any, all of them; of not, what matched")
  func groups() {
    #expect(
      Self.found(.all([Self.ios, Self.known, Self.german]), [true, false, false]) == ["/all/1 false", "/all/2 false"])
    #expect(Self.found(.any([Self.ios, Self.known]), [false, false]) == ["/any/0 false", "/any/1 false"])
    #expect(Self.found(.not(Self.ios), [true]) == ["/not true"])
    #expect(Self.found(Self.ios, [false]) == [" false"])
  }

  @Test("an exclusion names what it excludes by")
  func exclusions() {
    let audience = Filter.audience(of: [Self.ios], excluding: [Self.known, Self.german])
    #expect(Self.found(audience, [true, false, true]) == ["/all/1/not/any/1 true"])
    #expect(Self.found(audience, [false, false, false]) == ["/all/0 false"])
    #expect(Self.found(audience, [true, false, false]) == [])
  }

  @Test("an empty group decides by itself")
  func empty() {
    #expect(Self.found(.any([]), []) == [" false"])
    #expect(Self.found(.not(.all([])), []) == ["/not true"])
    #expect(Self.found(.all([]), []) == [])
  }

  @Test(
    "there are clauses exactly when the filter doesn't match, and changing them all makes it match", arguments: 0..<200)
  func everyTree(seed: UInt64) {
    var random = Chance(seed: seed)
    let filter = random.filter(depth: 4)
    let answers = filter.conditions.map { _ in random.next(2) == 0 }
    let clauses = filter.clausesAgainst(answers)
    #expect(clauses.isEmpty == random.matches(filter, answers))
    #expect(Set(clauses.map(\.pointer)).count == clauses.count)
    for clause in clauses { #expect(clause.filter.conditions.count <= 1) }
  }

  /// A small generator of its own, so that a seed says everything.
  struct Chance {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }

    mutating func filter(depth: Int) -> Filter {
      switch depth == 0 ? 3 : next(4) {
      case 0: return .all((0..<next(4)).map { _ in filter(depth: depth - 1) })
      case 1: return .any((0..<next(4)).map { _ in filter(depth: depth - 1) })
      case 2: return .not(filter(depth: depth - 1))
      default: return FilterClauseTests.ios
      }
    }

    /// Says the same by another way.
    func matches(_ filter: Filter, _ answers: [Bool]) -> Bool {
      var rest = answers
      func ask(_ filter: Filter) -> Bool {
        switch filter {
        case .all(let parts): return !parts.map(ask).contains(false)
        case .any(let parts): return parts.map(ask).contains(true)
        case .not(let part): return !ask(part)
        case .condition: return rest.removeFirst()
        }
      }
      return ask(filter)
    }
  }
}
