internal import JSON
internal import KitsCore
internal import KitsStore

/// How request signing is shown to who administers it.
enum SigningJSON {
  /// `Signing` of the contract: no secret.
  static func state(_ record: SigningRecord) -> JSONWriter {
    var json = start(record)
    json.member("mode", record.signing.mode.name)
    json.member("bucket_seconds", Int(record.signing.bucketSeconds))
    json.secret("current", record.current)
    json.secret("previous", record.previous)
    json.endObject()
    return json
  }

  /// `SigningSecrets` of the contract.
  static func revealed(
    _ record: SigningRecord, _ current: (SealedSigningSecret, SigningSecret),
    _ previous: (SealedSigningSecret, SigningSecret)?
  ) -> JSONWriter {
    var json = start(record)
    json.secret("current", current.0, current.1)
    json.secret("previous", previous?.0, previous?.1)
    json.endObject()
    return json
  }

  /// `NewSigningSecret` of the contract.
  static func created(_ record: SigningRecord, number: Int32, _ secret: SigningSecret) -> JSONWriter {
    var json = start(record)
    json.member("secret_no", Int(number))
    json.member("secret", secret.text)
    json.endObject()
    return json
  }

  private static func start(_ record: SigningRecord) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("app_id", record.app)
    json.member("app_token", record.publicKey)
    return json
  }
}

extension JSONWriter {
  fileprivate mutating func secret(
    _ name: String, _ sealed: SealedSigningSecret?, _ secret: SigningSecret? = nil
  ) {
    key(name)
    guard let sealed else {
      null()
      return
    }
    beginObject()
    member("secret_no", Int(sealed.number))
    member("created_at", sealed.createdAt)
    member("good_until", sealed.goodUntil)
    if let secret { member("secret", secret.text) }
    endObject()
  }
}
