/// Why a pasted key isn't accepted, in a sentence that says what was pasted. Nothing of the pasted text is kept.
package struct KeyError: Error, Sendable, Equatable {
  /// What the pasted text is.
  package enum Found: Sendable, Equatable, CaseIterable {
    case nothing
    case tooLarge
    case notPEM
    case severalBlocks
    case textAround
    case privateKey
    case encryptedPrivateKey
    case sec1PrivateKey
    case rsaPrivateKey
    case openSSHPrivateKey
    case publicKey
    case certificate
    case certificateRequest
    case keyArchive
    case jsonWebKey
    case parameters
    case unknownBlock
    case otherAlgorithm
    case otherCurve
    case explicitParameters
    case compressedPoint
    case pointNotOnCurve
    case invalidScalar
    case mismatchedPublicKey
    case malformed
    case wrongLength
  }

  /// What was expected in its place.
  package enum Expected: Sendable, Equatable {
    case publicKey
    case privateKey
  }

  /// What the text is.
  package let found: Found
  /// What it should have been.
  package let expected: Expected

  /// Names what was found and what was wanted.
  package init(found: Found, expected: Expected) {
    self.found = found
    self.expected = expected
  }

  /// Whether private key material was pasted where a public key belongs: it has to be treated as compromised.
  package var isExposedPrivateKey: Bool {
    guard expected == .publicKey else { return false }
    return switch found {
    case .privateKey, .encryptedPrivateKey, .sec1PrivateKey, .rsaPrivateKey, .openSSHPrivateKey: true
    default: false
    }
  }

  /// One or two sentences for the person who pasted it.
  package var message: String {
    if isExposedPrivateKey {
      return "This is a private key: it was not stored, but treat it as compromised and make a new pair. "
        + Self.publicKeyWanted
    }
    return found.sentence + " " + (expected == .publicKey ? Self.publicKeyWanted : Self.privateKeyWanted)
  }

  private static let publicKeyWanted = "Expected is one P-256 public key in PEM (BEGIN PUBLIC KEY)."
  private static let privateKeyWanted = "Expected is one P-256 private key in PKCS#8 PEM (BEGIN PRIVATE KEY)."
}

extension KeyError: CustomStringConvertible {
  /// The message.
  package var description: String { message }
}
