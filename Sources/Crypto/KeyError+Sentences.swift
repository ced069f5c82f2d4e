extension KeyError.Found {
  /// What was found, as a sentence.
  var sentence: String {
    switch self {
    case .nothing: "There is no text."
    case .tooLarge: "The text is too large for such a key."
    case .notPEM: "This isn't PEM text."
    case .severalBlocks: "There is more than one PEM block."
    case .textAround: "There is text outside the PEM block."
    case .privateKey: "This is a private key."
    case .encryptedPrivateKey: "This is a private key encrypted with a passphrase."
    case .sec1PrivateKey: "This is an EC private key in the older SEC1 form (BEGIN EC PRIVATE KEY)."
    case .rsaPrivateKey: "This is a private key in a form for RSA or DSA alone."
    case .openSSHPrivateKey: "This is an OpenSSH private key."
    case .publicKey: "This is a public key."
    case .certificate: "This is a certificate."
    case .certificateRequest: "This is a certificate request."
    case .keyArchive: "This is binary data, perhaps a .p12 file or a key in DER."
    case .jsonWebKey: "This is JSON, perhaps a JSON Web Key."
    case .parameters: "These are EC parameters."
    case .unknownBlock: "This is a PEM block of another kind."
    case .otherAlgorithm: "This key is for another algorithm, such as RSA or Ed25519."
    case .otherCurve: "This key is on another curve than P-256."
    case .explicitParameters: "This key spells out its curve in place of naming P-256."
    case .compressedPoint: "The public point is not in uncompressed form."
    case .pointNotOnCurve: "The public point is not on the curve."
    case .invalidScalar: "The private number is out of range."
    case .mismatchedPublicKey: "The public half doesn't belong to the private half."
    case .malformed: "The PEM block doesn't hold a well-formed key."
    case .wrongLength: "The key doesn't have the right number of bytes."
    }
  }
}
