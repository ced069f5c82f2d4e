package import KitsCore

/// A secret of request signing as it lies in the database.
package struct SealedSigningSecret: Sendable {
  /// 1 for an app's first, then rising: what a rotation says it replaces.
  package let number: Int32
  package let sealedUnder: String
  package let sealed: [UInt8]
  package let createdAt: Timestamp
  /// The first moment at which it isn't good any more; nil for the current one.
  package let goodUntil: Timestamp?

  package init(number: Int32, sealedUnder: String, sealed: [UInt8], createdAt: Timestamp, goodUntil: Timestamp?) {
    self.number = number
    self.sealedUnder = sealedUnder
    self.sealed = sealed
    self.createdAt = createdAt
    self.goodUntil = goodUntil
  }

  /// Binds sealed bytes to the app and the number they were made for.
  package static func sealingContext(_ app: AppID, number: Int32) -> String { "\(app.text)/\(number)" }
}

/// A secret that is about to be stored.
package struct NewSigningSecret: Sendable {
  package let number: Int32
  package let sealedUnder: String
  package let sealed: [UInt8]

  package init(number: Int32, sealedUnder: String, sealed: [UInt8]) {
    self.number = number
    self.sealedUnder = sealedUnder
    self.sealed = sealed
  }
}
