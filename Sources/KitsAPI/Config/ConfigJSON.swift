internal import JSON
internal import KitsCore

/// `SdkConfig` of the contract.
enum ConfigJSON {
  static func write(_ app: AppRecord, now: Timestamp, receiptsURL: String) -> JSONWriter {
    var json = JSONWriter(capacity: 768)
    json.beginObject()
    json.member("app_id", app.id)
    json.member("auth_mode", app.authMode.name)
    json.member("policy_revision", app.policyRevision)
    json.key("collection")
    json.collection(CollectionConsent(enabled: true, features: app.collectionDefaults))
    json.key("identifiers")
    json.beginObject()
    json.member("policy", app.identifierPolicy.name)
    json.member("expose_raw", app.takesRawIdentifiers)
    json.endObject()
    json.key("request_signing")
    json.beginObject()
    json.member("mode", app.signing.mode.name)
    json.member("bucket_seconds", Int(app.signing.bucketSeconds))
    json.endObject()
    json.member("server_time", now)
    json.key("receipts")
    json.beginObject()
    json.member("url", receiptsURL)
    json.endObject()
    json.key("limits")
    limits(&json)
    json.endObject()
    return json
  }

  /// So that an SDK need not learn them by being refused.
  private static func limits(_ json: inout JSONWriter) {
    json.beginObject()
    json.member("body_bytes", Limits.bodyBytes)
    json.member("external_id_bytes", Limits.externalIDBytes.upperBound)
    json.member("events_per_call", Limits.eventsPerCall)
    json.member("tags", Limits.tags)
    json.member("tag_key_bytes", Limits.tagKeyBytes)
    json.member("tag_value_bytes", Limits.tagValueBytes)
    json.endObject()
  }
}

extension JSONWriter {
  /// `Collection` of the contract.
  mutating func collection(_ consent: CollectionConsent) {
    beginObject()
    member("enabled", consent.enabled)
    member("users", consent.features.contains(.users))
    member("events", consent.features.contains(.events))
    member("activity", consent.features.contains(.activity))
    member("notification_events", consent.features.contains(.notificationEvents))
    endObject()
  }
}
