import KitsCore
import Postgres

extension ApplyIdentityOperations {
  func bind(to parameters: inout Parameters) {
    parameters.add(operations.map(\.caller.app))
    parameters.add(operations.map(\.caller.number))
    parameters.add(operations.map(\.caller.generation))
    parameters.add(operations.map(\.caller.environment))
    parameters.add(operations.map(\.installation.uuid))
    parameters.add(operations.map(\.id.uuid))
    parameters.add(operations.map(\.wish.kind.rawValue))
    parameters.add(operations.map(\.wish.externalID))
    parameters.add(operations.map(\.expectedBinding.uuid))
    parameters.add(operations.map(\.expectedPolicyRevision))
    parameters.add(operations.map(\.wish.authority))
    parameters.add(operations.map(\.wish.verdict?.cause))
    parameters.add(operations.map(\.wish.verdict?.keyID))
    parameters.add(operations.map(\.wish.verdict?.issuedAt))
    parameters.add(operations.map(\.newBinding.uuid))
  }
}

extension IdentityOperation.Caller {
  fileprivate var app: Int64? {
    if case .device(let app, _, _) = self { app.value } else { nil }
  }

  fileprivate var number: Int64? {
    if case .device(_, let number, _) = self { number.value } else { nil }
  }

  fileprivate var generation: Int32? {
    if case .device(_, _, let generation) = self { generation } else { nil }
  }

  fileprivate var environment: Int64? {
    if case .backend(let environment) = self { environment.value } else { nil }
  }

  /// Whose share of a batch a request takes.
  var tenant: Int64 {
    switch self {
    case .device(let app, _, _): app.value
    case .backend(let environment): -environment.value
    }
  }
}

extension IdentityOperation.Wish {
  fileprivate var kind: IdentityOperation.Kind {
    if case .login = self { .login } else { .logout }
  }

  fileprivate var externalID: String? {
    if case .login(let externalID, _) = self { externalID } else { nil }
  }

  /// 0 logout, 1 the client's word, 2 a proof, 3 a backend.
  fileprivate var authority: Int16 {
    switch self {
    case .logout: 0
    case .login(_, .claim): 1
    case .login(_, .proof): 2
    case .login(_, .backend): 3
    }
  }

  fileprivate var verdict: IdentityOperation.ProofVerdict? {
    if case .login(_, .proof(let verdict)) = self { verdict } else { nil }
  }
}
