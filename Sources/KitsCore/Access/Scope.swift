/// What a server key may do.
package enum Scope: String, Sendable, CaseIterable {
  case messagesSend = "messages:send"
  case messagesRead = "messages:read"
  case identityWrite = "identity:write"
  case identityKeysWrite = "identity-keys:write"
  case environmentsWrite = "environments:write"
  case usersRead = "users:read"
  case usersWrite = "users:write"
  case installationsRead = "installations:read"
  case installationsWrite = "installations:write"
  case segmentsRead = "segments:read"
  case segmentsWrite = "segments:write"
  case reportsRead = "reports:read"
  case webhooksWrite = "webhooks:write"
  case appsWrite = "apps:write"
}
