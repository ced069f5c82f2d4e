internal import KitsCore

/// The texts of one language.
struct MessageLocalization: Sendable {
  /// The member's name as the caller wrote it, for answers and pointers.
  let name: String
  let language: LanguageTag
  let text: MessageText
}
