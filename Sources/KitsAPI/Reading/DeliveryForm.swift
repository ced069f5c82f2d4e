/// In which form deliveries are answered.
enum DeliveryForm: Sendable, Equatable {
  case json
  case csv

  /// The form that is liked best, of equals the first. Whoever asks for neither gets JSON.
  ///
  /// - Parameter values: of all `Accept` headers.
  init(accepting values: [String]) {
    var best: (form: DeliveryForm, quality: Double)?
    for range in values.flatMap({ $0.split(separator: ",") }) {
      let parts = range.split(separator: ";").map(Self.trimmed)
      guard let form = parts.first.flatMap(Self.form) else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if quality > best?.quality ?? 0 { best = (form: form, quality: quality) }
    }
    self = best?.form ?? .json
  }

  private static func form(_ range: String) -> DeliveryForm? {
    switch range {
    case "text/csv": .csv
    case "application/json", "application/*", "*/*": .json
    default: nil
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    text.filter { $0 != " " && $0 != "\t" }.lowercased()
  }
}
