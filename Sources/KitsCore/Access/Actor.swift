/// Who asks for a change, as the audit log names it.
package struct Actor: Sendable, Equatable {
  package let kind: Kind
  /// The id of the server key or person; the command line has none.
  package let id: String?
  package let role: Role

  package init(kind: Kind, id: String?, role: Role) {
    self.kind = kind
    self.id = id
    self.role = role
  }

  /// An operator at the command line, who has the database and the master keys anyway.
  package static let commandLine = Actor(kind: .commandLine, id: nil, role: .owner)

  package static func serverKey(_ id: ServerKeyID, role: Role) -> Actor {
    Actor(kind: .serverKey, id: id.text, role: role)
  }

  package enum Kind: Int16, Sendable, CaseIterable {
    case commandLine = 1
    case serverKey = 2
    case person = 3

    package var name: String {
      switch self {
      case .commandLine: "command_line"
      case .serverKey: "server_key"
      case .person: "person"
      }
    }
  }
}
