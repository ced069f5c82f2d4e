/// The byte forms of P-256 keys: the one SPKI, and PKCS#8 as it is written by the common tools.
enum P256Encoding {
  static let scalarCount = 32
  static let pointCount = 65
  static let spkiCount = 91
  /// Everything of the SPKI before the point.
  static let spkiPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  private static let ecIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  private static let curveIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
    0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// The point of the canonical SPKI.
  static func point(spki: [UInt8]) throws(KeyError) -> [UInt8] {
    guard spki.count != spkiCount || !spki.starts(with: spkiPrefix) else { return Array(spki.suffix(pointCount)) }
    throw KeyError(found: wrongSPKI(spki), expected: .publicKey)
  }

  /// The private number and, where the text has it, the public point.
  static func privateKey(pkcs8: [UInt8]) throws(KeyError) -> (scalar: [UInt8], point: [UInt8]?) {
    var outer = DERReader(pkcs8)
    guard var info = outer.sequence(), outer.isAtEnd, info.unsigned(bytes: 1) == [0], var algorithm = info.sequence(),
      let identifier = algorithm.element(DERReader.identifierTag)
    else { throw KeyError(found: .malformed, expected: .privateKey) }
    if let found = wrongAlgorithm(identifier, &algorithm) { throw KeyError(found: found, expected: .privateKey) }
    guard var wrapper = info.inside(DERReader.octetStringTag), info.isAtEnd, var key = wrapper.sequence(),
      wrapper.isAtEnd, key.unsigned(bytes: 1) == [1], let scalar = key.element(DERReader.octetStringTag)
    else { throw KeyError(found: .malformed, expected: .privateKey) }
    guard isScalar(scalar) else { throw KeyError(found: .invalidScalar, expected: .privateKey) }
    if key.nextTag == 0xA0 {
      guard var named = key.inside(0xA0), let curve = named.element(DERReader.identifierTag), named.isAtEnd else {
        throw KeyError(found: .explicitParameters, expected: .privateKey)
      }
      guard curve.elementsEqual(curveIdentifier) else { throw KeyError(found: .otherCurve, expected: .privateKey) }
    }
    let point = try publicPart(&key)
    return (Array(scalar), point)
  }

  /// PKCS#8 in the form that `openssl genpkey` writes: with the public point, without the curve a second time.
  static func pkcs8(scalar: [UInt8], point: [UInt8]) -> [UInt8] {
    [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07] + ecIdentifier + [0x06, 0x08] + curveIdentifier
      + [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar + [0xA1, 0x44, 0x03, 0x42, 0x00] + point
  }

  /// PKCS#8 without the public point.
  static func pkcs8(scalar: [UInt8]) -> [UInt8] {
    [0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07] + ecIdentifier + [0x06, 0x08] + curveIdentifier
      + [0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar
  }

  private static func publicPart(_ key: inout DERReader) throws(KeyError) -> [UInt8]? {
    if key.isAtEnd { return nil }
    guard var wrapper = key.inside(0xA1), let bits = wrapper.element(DERReader.bitStringTag), wrapper.isAtEnd,
      key.isAtEnd, bits.first == 0
    else { throw KeyError(found: .malformed, expected: .privateKey) }
    let point = Array(bits.dropFirst())
    guard point.count == pointCount, point[0] == 4 else {
      throw KeyError(found: .compressedPoint, expected: .privateKey)
    }
    return point
  }

  /// 1 up to the order of the curve, exclusive, in 32 bytes.
  private static func isScalar(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == scalarCount && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
  }

  private static func wrongAlgorithm(_ identifier: ArraySlice<UInt8>, _ algorithm: inout DERReader) -> KeyError.Found? {
    guard identifier.elementsEqual(ecIdentifier) else { return .otherAlgorithm }
    if algorithm.nextTag == DERReader.sequenceTag { return .explicitParameters }
    guard let curve = algorithm.element(DERReader.identifierTag), algorithm.isAtEnd else { return .malformed }
    return curve.elementsEqual(curveIdentifier) ? nil : .otherCurve
  }

  /// What an SPKI that isn't the canonical one seems to be.
  private static func wrongSPKI(_ spki: [UInt8]) -> KeyError.Found {
    var outer = DERReader(spki)
    guard var info = outer.sequence(), outer.isAtEnd else { return .malformed }
    if info.nextTag == DERReader.integerTag { return .privateKey }
    guard var algorithm = info.sequence(), let identifier = algorithm.element(DERReader.identifierTag) else {
      return .malformed
    }
    if let found = wrongAlgorithm(identifier, &algorithm) { return found }
    guard let bits = info.element(DERReader.bitStringTag), info.isAtEnd, bits.first == 0 else { return .malformed }
    let point = bits.dropFirst()
    return point.first == 4 && point.count == pointCount ? .malformed : .compressedPoint
  }
}
