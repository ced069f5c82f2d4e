package import KitsCore

/// A message that was validated and is to start later. What it says is only kept: it is read again when it starts.
package struct NewSchedule: Sendable {
  /// As it would be created now.
  package let message: NewMessage
  /// The whole body of the request, JSON.
  package let body: [UInt8]
  /// Without a schedule it starts at once.
  package let schedule: MessageSchedule?

  package init(message: NewMessage, body: [UInt8], schedule: MessageSchedule?) {
    self.message = message
    self.body = body
    self.schedule = schedule
  }

  var timing: MessageTiming {
    MessageTiming(schedule: schedule, throttlePerMinute: message.throttlePerMinute, revision: 1)
  }

  /// How many different ids it names; nil when it names none.
  var requested: Int32? {
    switch message.target {
    case .installations(let ids): Int32(Set(ids).count)
    case .users(let ids): Int32(Set(ids.map { Array($0.text.utf8) }).count)
    default: nil
    }
  }
}
