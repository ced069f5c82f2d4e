internal import JSON
internal import KitsCore

/// Reads `InstallationState` of the contract. In a POST null is the same as leaving a field out; in a PATCH it means
/// back to the default. What is wrong is added to the reader's collector.
struct DesiredStateReader {
  let object: ObjectReader
  let isPatch: Bool
  /// nil when the body didn't say it properly: then the form of a push token can't be checked.
  let platform: Platform?

  func read() -> DesiredState {
    var state = DesiredState()
    state.pushToken = pushToken()
    // Without a meaning on Android.
    let environment = choice("apns_environment", APNsEnvironment.names, default: .production)
    state.apnsEnvironment = platform == .android ? nil : environment
    state.permission = choice("permission", Permission.names, default: .unknown)
    state.pushPreference = flag("push_preference", default: true)
    state.appVersion = text("app_version", Limits.versionBytes)
    state.osVersion = text("os_version", Limits.versionBytes)
    state.model = text("model", Limits.modelBytes)
    state.sdkVersion = text("sdk_version", Limits.versionBytes)
    state.language = change(object.field("language", language))
    state.timeZone = change(object.field("time_zone", timeZone))
    state.externalDeviceID = text("external_device_id", Limits.externalDeviceIDBytes)
    state.customerUserID = text("customer_user_id", Limits.externalIDBytes)
    state.coppa = flag("coppa", default: false)
    readCollection(&state)
    readIdentifiers(&state)
    refuseSameIDs(state)
    return state
  }

  private func pushToken() -> Change<PushToken> {
    change(
      object.field("push_token") { member in
        guard let text = member.string(bytes: Limits.androidPushTokenCharacters), let platform else { return nil }
        if let token = PushToken(text, platform: platform) { return token }
        switch platform {
        case .ios:
          return member.refuse(
            .badFormat, "An iOS push token is 8 to 200 hexadecimal digits, an even number of them.")
        case .android: return member.refuse(.badFormat, "An Android push token is printable ASCII without spaces.")
        }
      })
  }

  private func language(_ member: ElementReader) -> LanguageTag? {
    guard let text = member.string(bytes: Limits.languageBytes, refuseControls: true) else { return nil }
    // The type takes the locale ids of the systems too; here one separator is enough.
    guard !text.utf8.contains(UInt8(ascii: "_")), let tag = LanguageTag(parsing: text) else {
      return member.refuse(.badFormat, "It must be a BCP 47 language tag, like de-DE.")
    }
    return tag
  }

  private func timeZone(_ member: ElementReader) -> String? {
    guard let text = member.string(bytes: Limits.timeZoneBytes, refuseControls: true) else { return nil }
    guard let first = text.utf8.first, first.isLetter, text.utf8.allSatisfy({ $0.isTimeZoneCharacter }) else {
      return member.refuse(.badFormat, "It must be a name of the IANA database, like Europe/Berlin.")
    }
    return text
  }

  /// The same id for the device and for its user would break the linking of one user's devices (T5).
  private func refuseSameIDs(_ state: DesiredState) {
    guard case .set(let device) = state.externalDeviceID, case .set(let user) = state.customerUserID,
      device.utf8.elementsEqual(user.utf8)
    else { return }
    object.refuse("external_device_id", .conflict, IDCollision.detail)
  }
}

/// How a collision of the device's id with its user's is told, whether it is seen in the body or in the state after it.
enum IDCollision {
  static let detail = "It must not be the same as customer_user_id: it names the device."

  static var problem: Problem {
    Problem(
      .bodyInvalid, "1 field is invalid.",
      fields: [KitsError.FieldFault(.pointer("/external_device_id"), .conflict, detail)])
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }

  fileprivate var isTimeZoneCharacter: Bool {
    isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || "_+/-".utf8.contains(self)
  }
}
