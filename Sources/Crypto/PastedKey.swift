/// Tells what someone pasted in place of the key that was asked for, from marks that can stand anywhere in the text.
enum PastedKey {
  /// A mark and what it stands for, the most telling first.
  private static let marks: [(mark: String, found: KeyError.Found)] = [
    ("ENCRYPTED PRIVATE KEY", .encryptedPrivateKey), ("Proc-Type:", .encryptedPrivateKey),
    ("DEK-Info:", .encryptedPrivateKey), ("OPENSSH PRIVATE KEY", .openSSHPrivateKey),
    ("EC PRIVATE KEY", .sec1PrivateKey), ("RSA PRIVATE KEY", .rsaPrivateKey), ("DSA PRIVATE KEY", .rsaPrivateKey),
    ("PRIVATE KEY", .privateKey), ("BEGIN CERTIFICATE REQUEST", .certificateRequest),
    ("BEGIN NEW CERTIFICATE REQUEST", .certificateRequest), ("BEGIN CERTIFICATE", .certificate),
    ("BEGIN X509 CERTIFICATE", .certificate), ("BEGIN TRUSTED CERTIFICATE", .certificate),
    ("BEGIN PUBLIC KEY", .publicKey), ("PUBLIC KEY", .unknownBlock), ("BEGIN EC PARAMETERS", .parameters),
    ("-----BEGIN ", .unknownBlock),
  ]

  /// What the text is, when it isn't the expected kind; nil means that it may be.
  static func classify(_ text: [UInt8], expected: KeyError.Expected) -> KeyError.Found? {
    for (mark, found) in marks where PEMBlock.contains(text, Array(mark.utf8)) {
      switch (found, expected) {
      case (.publicKey, .publicKey), (.privateKey, .privateKey): return nil
      default: return found
      }
    }
    return withoutMark(text)
  }

  /// Text without any PEM mark: JSON, a body without its frame, binary.
  private static func withoutMark(_ text: [UInt8]) -> KeyError.Found? {
    let visible = text.filter { $0 > 0x20 }
    if visible.isEmpty { return .nothing }
    if visible.first == UInt8(ascii: "{") || visible.first == UInt8(ascii: "[") {
      return PEMBlock.contains(visible, Array("\"d\":".utf8)) ? .privateKey : .jsonWebKey
    }
    if visible.contains(where: { $0 >= 0x7F }) || text.contains(0) { return .keyArchive }
    // PKCS#8 and SEC1 both begin with a sequence that begins with a small integer.
    if let der = Base64.decode(visible.count % 4 == 0 ? visible : []), der.count > 32 {
      var outer = DERReader(der)
      if var inner = outer.sequence(), inner.unsigned(bytes: 1) != nil { return .privateKey }
    }
    return nil
  }
}
