internal import JSON
internal import KitsCore
internal import KitsStore

/// How users are answered.
enum UserJSON {
  /// `User` of the contract.
  static func write(_ user: ExternalID, _ installations: [UserInstallation], nextCursor: String?) -> JSONWriter {
    var json = JSONWriter(capacity: 512 * (installations.count + 1))
    json.beginObject()
    json.member("external_id", user.text)
    json.key("installations")
    json.beginArray()
    for entry in installations { write(entry, to: &json) }
    json.endArray()
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  /// `UserErasure` of the contract. The user isn't named again.
  static func write(_ erasure: UserErasure) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("installations", Int64(erasure.installations))
    json.member("operations", Int64(erasure.operations))
    json.member("messages_scrubbed", Int64(erasure.messages))
    json.member("erased_at", erasure.erasedAt)
    json.endObject()
    return json
  }

  private static func write(_ entry: UserInstallation, to json: inout JSONWriter) {
    let installation = entry.installation
    json.beginObject()
    json.member("id", installation.id)
    json.member("app_id", entry.app)
    json.member("platform", installation.platform.name)
    // A token that another installation took over is none.
    json.member("token_state", (installation.ownsToken ? installation.token.state : TokenState.none).name)
    json.member("reachable", installation.isReachable)
    json.key("binding")
    json.binding(installation.binding)
    json.member("last_seen_at", installation.updatedAt)
    json.endObject()
  }
}
