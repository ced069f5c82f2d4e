internal import Crypto
internal import JSON
internal import KitsCore

/// How identity keys are answered.
enum IdentityKeyJSON {
  /// `IdentityKeys` of the contract.
  static func list(_ keys: [IdentityKeyRecord]) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.key("data")
    json.beginArray()
    for key in keys { write(key, to: &json) }
    json.endArray()
    json.endObject()
    return json
  }

  /// `IdentityKey` of the contract.
  static func key(_ key: IdentityKeyRecord) -> JSONWriter {
    var json = JSONWriter()
    write(key, to: &json)
    return json
  }

  private static func write(_ key: IdentityKeyRecord, to json: inout JSONWriter) {
    json.beginObject()
    json.member("key_id", key.id.text)
    json.member("fingerprint", Hex.encode(SHA256.hash(key.spki)))
    json.member("created_at", key.createdAt)
    json.member("revoked_at", key.revokedAt)
    json.endObject()
  }
}
