import Foundation
import TestSupport

/// Files that somebody could take for an APNs key, made by the `openssl` program.
enum KeyFiles {
  static func bad() throws -> [(kind: String, text: String, sentence: String)] {
    let curve = ["-pkeyopt", "ec_paramgen_curve:P-256"]
    let good = try openssl(["genpkey", "-algorithm", "EC"] + curve)
    return [
      ("nothing", "", "There is no text."),
      ("no PEM", "hello", "This isn't PEM text."),
      ("RSA", try openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]), "another algorithm"),
      ("Ed25519", try openssl(["genpkey", "-algorithm", "ED25519"]), "another algorithm"),
      (
        "P-384", try openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]),
        "another curve than P-256"
      ),
      ("SEC1", try openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout"]), "older SEC1 form"),
      (
        "encrypted", try openssl(["genpkey", "-algorithm", "EC"] + curve + ["-aes256", "-pass", "pass:secret"]),
        "encrypted with a passphrase"
      ),
      ("two", good + good, "more than one PEM block"),
      ("cut", String(good.prefix(100)), "Expected is one P-256 private key in PKCS#8 PEM"),
      ("too large", good + String(repeating: " ", count: 5000), "too large"),
      ("a file of another kind", String(repeating: "x", count: 70_000), "larger than 65536 bytes"),
    ]
  }

  private static func openssl(_ arguments: [String]) throws -> String {
    let output = Shell.run(["/usr/bin/openssl"] + arguments)
    guard output.status == 0, let start = output.text.range(of: "-----BEGIN") else {
      throw TestFailure("openssl \(arguments): \(output.text)")
    }
    return String(output.text[start.lowerBound...])
  }
}
