internal import Crypto

/// Reads the settings that a command needs from its environment.
enum Settings {
  static func all(_ invocation: Invocation) throws(CommandFailure) -> Config {
    do { return try Config.parse(invocation.environment) } catch { throw .configuration(error) }
  }

  static func database(_ invocation: Invocation) throws(CommandFailure) -> Config.Database {
    do { return try Config.parseDatabase(invocation.environment) } catch { throw .configuration(error) }
  }

  /// For commands that also seal secrets.
  static func operation(_ invocation: Invocation) throws(CommandFailure) -> (Config.Database, KeyRing) {
    let (database, keys): (Config.Database, MasterKeys)
    do { (database, keys) = try Config.parseOperator(invocation.environment) } catch { throw .configuration(error) }
    return (database, try keys.ring())
  }
}

extension MasterKeys {
  func ring() throws(CommandFailure) -> KeyRing {
    do {
      return try KeyRing(masterKeys: accepted.map { ($0.id, $0.bytes.reveal()) }, mintingID: mintingID)
    } catch {
      throw .refused("the master keys can't be used: \(error)")
    }
  }
}
