internal import JSON
internal import KitsCore

/// How an environment is answered.
enum EnvironmentJSON {
  /// `Environment` of the contract.
  static func environment(_ environment: EnvironmentRecord) -> JSONWriter {
    let policy = environment.policy
    var json = JSONWriter()
    json.beginObject()
    json.member("id", environment.id)
    json.member("name", environment.name)
    json.member("auth_mode", policy.authMode.name)
    json.member("shadow", policy.shadow)
    json.member("policy_revision", policy.revision)
    json.member("identifier_policy", policy.identifiers.name)
    json.member("raw_identifiers", policy.rawIdentifiers)
    json.key("apps")
    json.beginArray()
    for app in environment.apps {
      json.beginObject()
      json.member("id", app.id)
      json.member("name", app.name)
      json.endObject()
    }
    json.endArray()
    json.endObject()
    return json
  }
}
