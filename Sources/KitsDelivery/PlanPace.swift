/// How many installations the next page of a plan looks at: as many as take about the time that a page should take,
/// however many of them match.
struct PlanPace: Sendable {
  private(set) var rows: Int64
  private let atMost: Int64

  static let shortPage: Duration = .milliseconds(50)
  static let longPage: Duration = .milliseconds(150)
  static let fewest: Int64 = 500

  init(_ configuration: DeliveryConfiguration) {
    rows = configuration.planScanWindow
    atMost = configuration.planScanWindowAtMost
  }

  /// A full page ended before its window did, so it says nothing of the window when it was quick.
  mutating func adapt(to time: Duration, isFull: Bool) {
    if time > Self.longPage {
      rows = max(rows / 2, min(Self.fewest, rows))
    } else if time < Self.shortPage, !isFull {
      rows = max(rows, min(rows * 2, atMost))
    }
  }
}
