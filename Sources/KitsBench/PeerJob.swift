import JSON

/// What another client has to send: as its users would, with the fields and the payload that the server sends.
struct PeerJob {
  let port: Int
  let certificateFile: String
  let credential: ProviderCredential
  let payload: String
  let count: Int
  /// Requests in flight.
  let concurrency: Int

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("port", port)
    writer.member("certificate_file", certificateFile)
    writer.member("key_file", credential.keyFile)
    writer.member("key_id", credential.keyID)
    writer.member("team_id", credential.teamID)
    writer.member("topic", Stage.bundleID)
    writer.member("payload", payload)
    writer.member("count", count)
    writer.member("concurrency", concurrency)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
