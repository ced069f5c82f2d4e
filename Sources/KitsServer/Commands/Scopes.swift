/// What a server key can be allowed to do.
enum Scopes {
  static let names = [
    "messages:send", "messages:read", "identity:write", "identity-keys:write", "environments:write", "users:read",
    "users:write", "installations:read", "installations:write", "segments:read", "segments:write", "reports:read",
    "webhooks:write", "apps:write",
  ]
}
