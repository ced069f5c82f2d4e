/// How an environment's installations prove who their user is (K17).
package enum AuthMode: Int16, Sendable, CaseIterable {
  case basic = 1
  case verified = 2

  package var name: String { self == .basic ? "BASIC" : "VERIFIED" }
}

/// Which device identifiers an environment takes, best first (U4).
package enum IdentifierPolicy: Int16, Sendable, CaseIterable {
  case global = 1
  case cn = 2
  case strict = 3

  package var name: String {
    switch self {
    case .global: "global"
    case .cn: "cn"
    case .strict: "strict"
    }
  }
}

/// Whether SDK requests of an app must be signed (T2).
package enum SigningMode: Int16, Sendable, CaseIterable {
  case off = 0
  case optional = 1
  case required = 2

  package var name: String {
    switch self {
    case .off: "off"
    case .optional: "optional"
    case .required: "required"
    }
  }
}
