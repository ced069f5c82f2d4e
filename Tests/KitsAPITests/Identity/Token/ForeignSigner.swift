import Foundation
import TestSupport
import Testing

/// Debian's python3 with PyJWT: a signer that shares no line with Kits. `deploy/install-packages` installs it.
enum ForeignSigner {
  private static let python = "/usr/bin/python3"

  static let isAvailable = Shell.run([python, "-c", "import jwt, cryptography"]).status == 0

  /// Tokens for users `user-0`, `user-1`, …, of the key in the PEM.
  static func tokens(_ count: Int, privateKeyPEM: String, appID: String, now: Int64) throws -> [String] {
    let output = Shell.run(
      [python, "-c", script, "\(count)", appID, "\(now)"], environment: ["PRIVATE_KEY": privateKeyPEM])
    try #require(output.status == 0, "\(output.text)")
    return output.text.split(separator: "\n").map(String.init)
  }

  private static let script = """
    import os, sys, jwt
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    count, app, now = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    key = load_pem_private_key(os.environ["PRIVATE_KEY"].encode(), None)
    for i in range(count):
        claims = {"iss": app, "aud": "kits:identity", "iat": now - i % 200, "exp": now + 1 + i % 3000,
                  "identity": {"external_id": "user-%d" % i}}
        print(jwt.encode(claims, key, algorithm="ES256", headers={"kid": "key-1"}))
    """
}
