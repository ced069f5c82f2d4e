/// Why a pasted key isn't accepted, in a sentence that says what was pasted. Nothing of the pasted text is kept.
package struct KeyError: Error, Sendable, Equatable {
  /// What the pasted text is.
  package enum Found: String, Sendable, Equatable, CaseIterable {
    case nothing
    case tooLarge = "too_large"
    case notPEM = "not_pem"
    case severalBlocks = "several_blocks"
    case textAround = "text_around"
    case privateKey = "private_key"
    case encryptedPrivateKey = "encrypted_private_key"
    case sec1PrivateKey = "sec1_private_key"
    case rsaPrivateKey = "rsa_private_key"
    case openSSHPrivateKey = "open_ssh_private_key"
    case publicKey = "public_key"
    case certificate
    case certificateRequest = "certificate_request"
    case keyArchive = "key_archive"
    case jsonWebKey = "json_web_key"
    case parameters
    case unknownBlock = "unknown_block"
    case otherAlgorithm = "other_algorithm"
    case otherCurve = "other_curve"
    case explicitParameters = "explicit_parameters"
    case compressedPoint = "compressed_point"
    case pointNotOnCurve = "point_not_on_curve"
    case invalidScalar = "invalid_scalar"
    case mismatchedPublicKey = "mismatched_public_key"
    case malformed
    case wrongLength = "wrong_length"
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
