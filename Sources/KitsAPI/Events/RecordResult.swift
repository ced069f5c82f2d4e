internal import JSON
package import KitsCore
internal import KitsStore

/// What became of one record that a device sent.
package enum RecordResult: Sendable, Equatable {
  case recorded
  case duplicate
  case refused(KitsError.Code)

  init(_ answer: EventAnswer) {
    switch answer {
    case .recorded: self = .recorded
    case .duplicate: self = .duplicate
    case .collectionOff: self = .refused(.collectionOff)
    case .bindingChanged: self = .refused(.bindingChanged)
    case .tooOld: self = .refused(.tooOld)
    }
  }

  init(_ answer: ActivityAnswer) {
    switch answer {
    case .recorded: self = .recorded
    case .duplicate: self = .duplicate
    case .collectionOff: self = .refused(.collectionOff)
    case .nameLimitReached: self = .refused(.nameLimitReached)
    }
  }

  package var name: String {
    switch self {
    case .recorded: "recorded"
    case .duplicate: "duplicate"
    case .refused: "refused"
    }
  }

  /// `RecordResults` of the contract.
  static func json(_ results: [RecordResult]) -> JSONWriter {
    var json = JSONWriter(capacity: 64 * (results.count + 1))
    json.beginObject()
    json.key("results")
    json.beginArray()
    for result in results {
      json.beginObject()
      json.member("result", result.name)
      if case .refused(let code) = result {
        json.member("code", code.rawValue)
        json.member("retryable", code.isRetryable)
      }
      json.endObject()
    }
    json.endArray()
    json.endObject()
    return json
  }
}
