internal import JSON
internal import KitsIdentity

/// `kits identity sign`
enum SignIdentityToken {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let pem = try IdentityInput.text(arguments.required("private-key-file"), what: "private key")
    do {
      let signer = try createIdentityTokenSigner(
        appID: arguments.required("app"), keyID: arguments.required("key-id"), privateKeyPEM: pem,
        ttlSeconds: try ttlSeconds(arguments))
      let signed = try signer.sign(externalID: arguments.required("external-id"))
      try invocation.output.print(
        Report([
          ("token", .string(signed.token)), ("expires_at", .string(IdentityInput.instant(signed.expiresAt))),
        ]))
    } catch let error as IdentitySignerError {
      throw CommandFailure.refused(error.description)
    }
  }

  private static func ttlSeconds(_ arguments: Arguments) throws(CommandFailure) -> Int {
    guard let text = arguments.value("ttl-seconds") else { return 300 }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let seconds = Int(text), (1...3600).contains(seconds) else {
      throw .usage("--ttl-seconds must be a number from 1 to 3600")
    }
    return seconds
  }
}
