import KitsCore

/// What an environment takes of device identifiers, decided where its policy is read (U4, U5).
enum IdentifierSQL {
  /// The status of an answer that refuses, or NULL. The environment is `e`; its `identifier_policy` is 2 for cn, 3 for
  /// strict. A report that there is no idfa is taken: it holds none.
  static func refusal(_ state: String) -> String {
    """
    CASE
          WHEN e.identifier_policy > 1 AND \(state) #>> '{identifiers,idfa,hash}' IS NOT NULL
            THEN (\(idfaByCN - 2) + e.identifier_policy)::smallint
          WHEN \(state) ? 'raw_identifiers' AND NOT e.raw_identifiers THEN \(raw)::smallint
        END
    """
  }

  static func refusal(_ status: Int16) -> IdentifierRefusal? {
    switch status {
    case idfaByCN: .idfa(.cn)
    case idfaByCN + 1: .idfa(.strict)
    case raw: .raw
    default: nil
    }
  }

  private static let idfaByCN: Int16 = 10
  private static let raw: Int16 = 12
}
