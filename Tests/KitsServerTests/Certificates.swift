import TestSupport

/// Certificates made by the `openssl` program.
enum Certificates {
  /// PEM text; empty when the program isn't there, which fails every test that uses it.
  static let selfSigned: String = {
    let output = Shell.run([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      "/dev/null", "-subj", "/CN=test", "-days", "2",
    ])
    guard output.status == 0, let start = output.text.firstRange(of: "-----BEGIN CERTIFICATE") else { return "" }
    return String(output.text[start.lowerBound...])
  }()
}
