/// What a person reads of a message.
struct MessageText: Sendable {
  var title: String?
  var subtitle: String?
  var body: String?

  var isEmpty: Bool { title == nil && subtitle == nil && body == nil }

  /// This text, with the base text where it says nothing: a localization need not repeat what doesn't change.
  func completed(by base: MessageText) -> MessageText {
    MessageText(title: title ?? base.title, subtitle: subtitle ?? base.subtitle, body: body ?? base.body)
  }
}
