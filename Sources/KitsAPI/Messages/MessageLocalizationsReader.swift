internal import JSON
internal import KitsCore

/// Reads `localizations`: an object whose members are named by language.
struct MessageLocalizationsReader {
  private let reader: ObjectReader

  init(_ reader: ObjectReader) {
    self.reader = reader
  }

  func read() -> [MessageLocalization] {
    guard let element = reader.given("localizations"), let members = element.object() else { return [] }
    guard members.names.count <= Limits.localizations else {
      element.refuse(.tooMany, "It must have at most \(Limits.localizations) members.")
      return []
    }
    var languages: Set<LanguageTag> = []
    var localizations: [MessageLocalization] = []
    for name in members.names {
      guard let language = language(name, of: members, element) else { continue }
      guard languages.insert(language).inserted else {
        members.refuse(name, .duplicate, "Another member names the same language.")
        continue
      }
      if let text = text(name, of: members) {
        localizations.append(MessageLocalization(name: name, language: language, text: text))
      }
    }
    return localizations
  }

  private func language(_ name: String, of members: ObjectReader, _ element: ElementReader) -> LanguageTag? {
    guard name.utf8.count <= Limits.languageBytes.upperBound else {
      // Not repeated: the name may be as long as the body.
      return element.refuse(.badFormat, "The name of a member is not a language tag: it is too long.")
    }
    // The underscore of a locale id is understood when a device sends it, but an answer names what is written here.
    guard !name.utf8.contains(UInt8(ascii: "_")), let language = LanguageTag(parsing: name) else {
      members.refuse(name, .badFormat, "Its name must be a well-formed BCP 47 language tag, like de or zh-Hant.")
      return nil
    }
    return language
  }

  private func text(_ name: String, of members: ObjectReader) -> MessageText? {
    guard let localization = members.member(name)?.object() else { return nil }
    let isEmpty = ["title", "subtitle", "body"].allSatisfy { localization.given($0) == nil }
    let text = localization.messageText()
    let hasOthers = localization.names.contains { !["title", "subtitle", "body"].contains($0) }
    localization.refuseUnknown()
    if isEmpty && !hasOthers { members.refuse(name, .tooFew, "It must have a title, a subtitle or a body.") }
    return text
  }
}
