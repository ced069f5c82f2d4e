internal import Crypto
import Glibc
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits identity-key add`
enum AddIdentityKey {
  /// More than any key; what is larger is some other file.
  static let fileLimit = 65_536

  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let environment: EnvironmentID = try OperatorInput.id(arguments.required("environment"), "--environment")
    let id = try OperatorInput.identityKeyID(arguments.required("key-id"), "--key-id")
    let database = try Settings.database(invocation)
    let key = try key(try arguments.required("public-key-file"))
    let registration = try await OperatorDatabase.use(database) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).addKey(
        id, spki: key.spki, to: .id(environment), by: .commandLine(.identityKeyAdded))
    }
    switch registration {
    case nil: throw CommandFailure.refused("there is no environment \(environment)")
    case .added(let key), .present(let key):
      try invocation.output.print(ListIdentityKeys.report(key), else: "The key was registered.")
    case .idTaken:
      throw CommandFailure.refused("another key has or had the id \(id): give the new key an id of its own")
    case .keyTaken(let other):
      throw CommandFailure.refused("the key is or was registered as \(other): make a new pair")
    case .tooMany:
      throw CommandFailure.refused(
        "the environment has \(Limits.identityKeys) keys: revoke those that sign nothing any more")
    }
  }

  private static func key(_ path: String) throws(CommandFailure) -> P256PublicKey {
    let content = path == "-" ? SmallFile.read(STDIN_FILENO, limit: fileLimit) : SmallFile.read(path, limit: fileLimit)
    guard let content else {
      throw .refused("can't read the public key file \(LogText.escaped(path)), or it is larger than \(fileLimit) bytes")
    }
    do {
      return try P256PublicKey(spkiPEM: String(decoding: content, as: UTF8.self))
    } catch {
      throw .refused("the public key is not usable. \(error.message)")
    }
  }
}
