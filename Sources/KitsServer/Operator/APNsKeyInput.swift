internal import Crypto
import Glibc
internal import KitsCore
internal import KitsStore

/// The APNs key of `kits app create`: read, checked, sealed. The private key is in memory for the time of the command
/// and reaches the database encrypted alone.
enum APNsKeyInput {
  static let options = ["apns-key-file", "apns-key-id", "apns-team-id"]
  /// More than any key; what is larger is some other file.
  static let fileLimit = 65_536

  /// Nil for a platform that has no such key.
  static func read(
    _ arguments: Arguments, platform: Platform, ring: KeyRing
  ) throws(CommandFailure) -> SealedAPNsKey? {
    let given = options.filter(arguments.has)
    guard platform == .ios else {
      if let option = given.first { throw .usage("--\(option) is for --platform ios alone") }
      return nil
    }
    let missing = options.filter { !arguments.has($0) }
    guard missing.isEmpty else {
      throw .usage("an iOS app needs \(missing.map { "--\($0)" }.joined(separator: ", "))")
    }
    let keyID = try OperatorInput.appleID(arguments.required("apns-key-id"), option: "apns-key-id")
    let teamID = try OperatorInput.appleID(arguments.required("apns-team-id"), option: "apns-team-id")
    return try seal(try key(try arguments.required("apns-key-file")), keyID: keyID, teamID: teamID, ring)
  }

  private static func key(_ path: String) throws(CommandFailure) -> P256PrivateKey {
    let content = path == "-" ? SmallFile.read(STDIN_FILENO, limit: fileLimit) : SmallFile.read(path, limit: fileLimit)
    guard let content else {
      throw .refused("can't read the APNs key file \(LogText.escaped(path)), or it is larger than \(fileLimit) bytes")
    }
    do {
      return try P256PrivateKey(pkcs8PEM: String(decoding: content, as: UTF8.self))
    } catch {
      throw .refused("the APNs key file is not usable. \(error.message)")
    }
  }

  private static func seal(
    _ key: P256PrivateKey, keyID: String, teamID: String, _ ring: KeyRing
  ) throws(CommandFailure) -> SealedAPNsKey {
    let context = SealedAPNsKey.sealingContext(teamID: teamID, keyID: keyID)
    do {
      let (id, sealed) = try ring.seal(Array(key.pkcs8PEM.utf8), for: .apnsKey, context: context)
      return SealedAPNsKey(
        teamID: teamID, keyID: keyID, fingerprint: SHA256.hash(key.publicKey.spki), sealedUnder: id,
        sealedPrivateKey: sealed)
    } catch {
      throw .refused("the APNs key could not be encrypted: \(error)")
    }
  }
}
