/// What a change was made to, as the audit log names it.
package struct AuditTarget: Sendable, Equatable {
  package let kind: Kind
  /// Its public id; nil when what was asked for names nothing.
  package let id: String?

  package init(_ kind: Kind, _ id: String?) {
    self.kind = kind
    self.id = id
  }

  package enum Kind: String, Sendable, CaseIterable {
    case project
    case environment
    case app
    case serverKey = "server_key"
    case identityKey = "identity_key"
    case user
    case segment
    case installation
  }
}
