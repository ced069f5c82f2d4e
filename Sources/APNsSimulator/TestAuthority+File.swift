import Foundation

extension TestAuthority {
  /// The certificates that an earlier run left in `path`, or new ones that are left there. The authority's own key is
  /// never written: the file holds its certificate, the server's certificate and the server's key.
  static func kept(in path: String) throws -> TestAuthority {
    guard FileManager.default.fileExists(atPath: path) else {
      let made = try TestAuthority()
      let text = made.certificatePEM + made.server.certificatePEM + made.server.keyPEM
      guard
        FileManager.default.createFile(
          atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      else { throw UsageError("--identity-file \(path) can't be written") }
      return made
    }
    let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: beginning).dropFirst()
    guard parts.count == 3 else { throw UsageError("--identity-file \(path) holds no certificates of an earlier run") }
    let blocks = parts.map { beginning + $0 }
    return TestAuthority(
      certificatePEM: blocks[0], server: ServerIdentity(certificatePEM: blocks[1], keyPEM: blocks[2]))
  }

  private static let beginning = "-----BEGIN "
}
