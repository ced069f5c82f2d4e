package import KitsCore

/// What became of logins and logouts, as it is counted.
package enum IdentityTally: String, Sendable, CaseIterable {
  case bound
  case unchanged
  case loggedOut = "logged_out"
  case conflict
  case replayed

  package init(_ result: IdentityAnswer.Result) {
    switch result {
    case .bound: self = .bound
    case .unchanged: self = .unchanged
    case .loggedOut: self = .loggedOut
    }
  }
}
