import KitsCore
import Testing

struct RoleTests {
  /// Who may do what, as the manual says it.
  static let table: [(roles: Set<Role>, privileges: Set<Privilege>)] = [
    (Set(Role.allCases), [.readEnvironment, .readIdentityKeys, .revealSigningSecret]),
    (
      [.owner, .administrator, .member],
      [
        .pauseApp, .resumeApp, .createSegment, .changeSegment, .deleteSegment, .addTestDevice, .removeTestDevice,
        .redeliverWebhook,
      ]
    ),
    (
      [.owner, .administrator],
      [
        .createEnvironment, .changeEnvironment, .createApp, .setProviderKey, .createServerKey, .revokeServerKey,
        .addIdentityKey, .revokeIdentityKey, .changeSigningMode, .createSigningSecret, .rotateSigningSecret,
        .revokeSigningSecret, .eraseUser, .readAudit, .importInstallations, .createWebhook, .changeWebhook,
        .deleteWebhook, .rotateWebhookSecret,
      ]
    ),
    ([.owner], [.createProject]),
  ]

  @Test("Each role may do what the table says and nothing else (T3)", arguments: Role.allCases)
  func roles(_ role: Role) {
    let allowed = Self.table.filter { $0.roles.contains(role) }.reduce(into: Set<Privilege>()) { $0.formUnion($1.1) }
    #expect(Set(Privilege.allCases.filter(role.may)) == allowed)
  }

  @Test("The table names every privilege once")
  func complete() {
    #expect(Self.table.reduce(0) { $0 + $1.privileges.count } == Privilege.allCases.count)
  }

  @Test("Everyone sees the signing secret, owners and administrators alone create and rotate it (T3)")
  func signingSecret() {
    #expect(Role.allCases.allSatisfy { $0.may(.revealSigningSecret) })
    for privilege in [Privilege.createSigningSecret, .rotateSigningSecret, .revokeSigningSecret] {
      #expect(Role.allCases.filter { $0.may(privilege) } == [.owner, .administrator])
    }
  }

  @Test("Nobody grants more than they have (SEC-R-f)", arguments: Role.allCases)
  func grants(_ role: Role) {
    #expect(Role.allCases.filter(role.mayGrant) == Role.allCases.filter { $0.rawValue >= role.rawValue })
  }

  @Test("Every action of the audit log asks for a privilege of its own that doesn't only read")
  func actions() {
    let privileges = AuditAction.allCases.map(\.privilege)
    #expect(Set(privileges).count == AuditAction.allCases.count)
    #expect(Set(Privilege.allCases).subtracting(privileges) == [.readEnvironment, .readIdentityKeys, .readAudit])
  }
}
