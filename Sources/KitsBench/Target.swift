/// What a figure should be: the ratio to its reference when it has one, else the figure itself.
enum Target {
  case atLeast(Double)
  case atMost(Double)
  case below(Double)

  func isMet(by value: Double) -> Bool {
    switch self {
    case .atLeast(let bound): value >= bound
    case .atMost(let bound): value <= bound
    case .below(let bound): value < bound
    }
  }

  var text: String {
    switch self {
    case .atLeast(let bound): "≥ \(bound)"
    case .atMost(let bound): "≤ \(bound)"
    case .below(let bound): "< \(bound)"
    }
  }
}
