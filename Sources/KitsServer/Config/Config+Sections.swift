internal import Crypto

extension Config.Database {
  static func read(_ reader: inout ConfigReader) -> Self? {
    let url = reader.required(.databaseURL) { (text) throws(Malformed) in
      try DatabaseURL.check(text)
      return Secret(text)
    }
    let connections = reader.integer(
      .databaseConnections, in: ConfigLimits.databaseConnections, default: ConfigDefaults.databaseConnections)
    return url.map { Config.Database(url: $0, connections: connections) }
  }
}

extension MasterKeys {
  static func read(_ reader: inout ConfigReader) -> MasterKeys? {
    let keys = reader.required(.masterKeys, MasterKeys.parseList)
    let minting = reader.optional(.masterKeyID) { (text) throws(Malformed) in
      guard isID(text) else { throw Malformed("must be [a-z0-9]{1,8}") }
      return text
    }
    guard let keys, let first = keys.first else { return nil }
    let mintingID = minting ?? first.id
    guard keys.contains(where: { $0.id == mintingID }) else {
      let ids = keys.map(\.id).joined(separator: ", ")
      reader.report(.masterKeyID, "is not an id of KITS_MASTER_KEYS (there: \(ids))")
      return nil
    }
    return MasterKeys(accepted: keys, mintingID: mintingID)
  }
}

extension Config.Admin {
  static func read(_ reader: inout ConfigReader) -> Self? {
    if !reader.contains(.adminListen) { return Config.Admin(listen: ConfigDefaults.adminListen) }
    return reader.optional(.adminListen, SocketAddress.parse).map { Config.Admin(listen: $0) }
  }
}

extension Config.API {
  static func read(_ reader: inout ConfigReader, admin: Config.Admin?) -> Self? {
    let listen =
      reader.contains(.listen) ? reader.optional(.listen, SocketAddress.parse) : ConfigDefaults.listen
    if let listen, listen.port != 0, listen == admin?.listen {
      reader.report(reader.contains(.listen) ? .listen : .adminListen, "is the same as the other listen address")
    }
    let stated = reader.optional(.publicURL) { (text) throws(Malformed) in
      let url = try WebURL.parse(text)
      if url.scheme == .http && !url.isLoopback { throw Malformed("must be https unless it is on loopback") }
      return url
    }
    guard let listen else { return nil }
    if let stated { return Config.API(listen: listen, publicURL: stated) }
    if reader.contains(.publicURL) { return nil }
    guard listen.isLoopback else {
      reader.report(.publicURL, "is not set, and KITS_LISTEN is not on loopback")
      return nil
    }
    let local = WebURL(scheme: .http, host: listen.host, port: listen.port, path: "")
    return Config.API(listen: listen, publicURL: local)
  }
}

extension Config.Delivery {
  static func read(_ reader: inout ConfigReader) -> Self {
    let lease = reader.integer(
      .leaseSeconds, in: ConfigLimits.leaseSeconds, default: ConfigDefaults.leaseSeconds)
    let retry = reader.integer(
      .retrySeconds, in: ConfigLimits.retrySeconds, default: ConfigDefaults.retrySeconds)
    return Config.Delivery(leaseSeconds: lease, retrySeconds: retry)
  }
}

extension ConfigReader {
  /// The path of a file in which every certificate is sound.
  fileprivate mutating func trustAnchors(
    _ variable: Variable, readFile: (String, Int) -> [UInt8]?
  ) -> String? {
    optional(variable) { (path) throws(Malformed) in
      guard path.hasPrefix("/") else { throw Malformed("must be an absolute path") }
      let limit = CertificateBundle.limit
      guard let bytes = readFile(path, limit) else {
        throw Malformed("names a file that can't be read or is larger than \(limit) bytes")
      }
      do throws(CertificateError) { _ = try CertificateBundle(bytes) } catch {
        throw Malformed("names a file that \(error.reason)")
      }
      return path
    }
  }
}

extension Config.Webhooks {
  static func read(_ reader: inout ConfigReader, readFile: (String, Int) -> [UInt8]?) -> Self {
    let retry = reader.integer(
      .webhookRetrySeconds, in: ConfigLimits.webhookRetrySeconds, default: ConfigDefaults.webhookRetrySeconds)
    let anchors = reader.trustAnchors(.webhookCA, readFile: readFile)
    let allowsPrivate = reader.optional(.webhookAllowPrivate) { (text) throws(Malformed) in
      guard let choice = ["on": true, "off": false][text] else { throw Malformed("must be on or off") }
      return choice
    }
    return Config.Webhooks(
      retrySeconds: retry, trustAnchorsFile: anchors, allowsPrivate: allowsPrivate ?? false)
  }
}

extension Config.APNs {
  static func read(_ reader: inout ConfigReader, readFile: (String, Int) -> [UInt8]?) -> Self? {
    let before = reader.problems.count
    let production = reader.optional(.apnsProductionURL, origin) ?? ConfigDefaults.apnsProduction
    let sandbox = reader.optional(.apnsSandboxURL, origin) ?? ConfigDefaults.apnsSandbox
    let anchors = reader.trustAnchors(.apnsCA, readFile: readFile)
    let pins = reader.optional(.apnsPins, HostPins.parseList) ?? []
    let threads = reader.integer(
      .apnsLoopThreads, in: ConfigLimits.apnsLoopThreads, default: ConfigDefaults.apnsLoopThreads)
    guard reader.problems.count == before else { return nil }
    return Config.APNs(
      productionURL: production, sandboxURL: sandbox, trustAnchorsFile: anchors, pins: pins, loopThreads: threads)
  }

  private static func origin(_ text: String) throws(Malformed) -> WebURL {
    let url = try WebURL.parse(text)
    guard url.scheme == .https else { throw Malformed("must be https") }
    guard url.path.isEmpty else { throw Malformed("must not have a path") }
    return url
  }
}
