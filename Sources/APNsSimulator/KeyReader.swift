import Crypto
import Foundation
import JSON

/// Provider keys as files, command lines and the admin port describe them.
enum KeyReader {
  private static let idBytes = 1...64

  /// `{key_id, team_id, public_key_pem, topics?, environment?}`; `nil` after adding to `faults`.
  static func key(_ object: ObjectReader) -> ProviderKey? {
    let keyID = object.requiredString("key_id", bytes: idBytes)
    let teamID = object.requiredString("team_id", bytes: idBytes)
    let pem = object.requiredString("public_key_pem", bytes: 1...P256PublicKey.pemLimit)
    let environment = object.choice(
      "environment", ["production": PushEnvironment.production, "sandbox": .sandbox], nullIsAbsent: true)
    let topics = object.array("topics", count: 0...400, nullIsAbsent: true) ?? []
    let names = topics.compactMap { $0.string(bytes: 1...ValidationRules.topicBytes) }
    object.refuseUnknown()
    guard let keyID, let teamID, let pem else { return nil }
    do {
      let key = try P256PublicKey(spkiPEM: pem)
      return ProviderKey(
        keyID: keyID, teamID: teamID, publicKey: key, environment: environment, topics: Set(names))
    } catch {
      object.refuse("public_key_pem", .badFormat, "It must be a P-256 public key in PEM.")
      return nil
    }
  }

  /// `KEYID:TEAMID:public.pem[:environment[:bundle,bundle]]`
  static func key(option: String) throws -> ProviderKey {
    let parts = option.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard (3...5).contains(parts.count) else { throw UsageError("--key is KEYID:TEAMID:FILE, not \(option)") }
    var environment: PushEnvironment?
    if parts.count > 3, !parts[3].isEmpty {
      environment = PushEnvironment(rawValue: parts[3])
      if environment == nil { throw UsageError("--key: no environment is called \(parts[3])") }
    }
    let topics = parts.count > 4 ? parts[4].split(separator: ",").map(String.init) : []
    let pem = try String(contentsOfFile: parts[2], encoding: .utf8)
    do {
      return ProviderKey(
        keyID: parts[0], teamID: parts[1], publicKey: try P256PublicKey(spkiPEM: pem), environment: environment,
        topics: Set(topics))
    } catch {
      throw UsageError("--key: \(parts[2]) is not a P-256 public key in PEM")
    }
  }

  /// A file with an array of keys.
  static func keys(file: String) throws -> [ProviderKey] {
    let faults = FaultCollector()
    let value = try ConfigurationFile.read(file)
    let elements = ElementReader(value, into: faults).array(count: 0...KeyRing.limit) ?? []
    let keys = elements.compactMap { $0.object().flatMap(key) }
    try ConfigurationFile.check(faults, file: file)
    return keys
  }
}
