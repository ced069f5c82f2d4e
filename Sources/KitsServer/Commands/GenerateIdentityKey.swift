internal import Crypto
internal import KitsIdentity

/// `kits identity keygen`
enum GenerateIdentityKey {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let path = try invocation.arguments.required("private-key-file")
    let pair = generateIdentityKeyPair()
    try PrivateFile.create(path, pair.privateKeyPEM)
    let sentence = "The private key is in \(LogText.escaped(path)), and nowhere else."
    switch invocation.output.form {
    case .text:
      // As it is, so that it can be sent to a file.
      try invocation.output.standardOutput(pair.publicKeyPEM)
      invocation.output.remark("\(sentence) Register the public key above.")
    case .json, .field:
      try invocation.output.print(
        Report([
          ("public_key_pem", .string(pair.publicKeyPEM)),
          ("fingerprint", .string(try P256PublicKey(spkiPEM: pair.publicKeyPEM).fingerprint)),
          ("private_key_file", .string(path)),
        ]), else: sentence)
    }
  }
}
