import COpenSSL

/// Certificates in a file that an operator named: PEM blocks with any text between them, or one certificate in DER.
///
/// Every block is looked at. Libraries that load such a file skip what they can't read, and the certificate that is
/// missing then is noticed at the first connection, or never. Which of them may sign others is for the verification.
package struct CertificateBundle: Sendable {
  /// More than all public authorities of the world together.
  package static let limit = 1_048_576

  /// Each in DER, in the order of the file.
  package let certificates: [[UInt8]]

  private static let dashes = Array("-----".utf8)
  private static let label = Array("CERTIFICATE".utf8)

  package init(_ bytes: [UInt8]) throws(CertificateError) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.limit else { throw .tooLarge }
    if bytes[0] == 0x30 {
      guard Self.isCertificate(bytes) else { throw .malformed(block: 1) }
      certificates = [bytes]
    } else {
      certificates = try Self.blocks(bytes)
    }
  }

  private static func blocks(_ text: [UInt8]) throws(CertificateError) -> [[UInt8]] {
    var certificates: [[UInt8]] = []
    /// The characters of the block that is open.
    var body: [UInt8]?
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = trimmed(line)
      guard line.starts(with: dashes) else {
        body?.append(contentsOf: line)
        continue
      }
      let block = certificates.count + 1
      if let encoded = body {
        guard line.elementsEqual(marker("END")) else { throw .malformed(block: block) }
        guard let bytes = Base64.decode(encoded), isCertificate(bytes) else { throw .malformed(block: block) }
        certificates.append(bytes)
        body = nil
      } else if line.elementsEqual(marker("BEGIN")) {
        body = []
      } else {
        throw line.suffix(16).elementsEqual("PRIVATE KEY-----".utf8) ? .privateKey : .otherBlock(block: block)
      }
    }
    guard body == nil else { throw .malformed(block: certificates.count + 1) }
    guard !certificates.isEmpty else { throw .noCertificate }
    return certificates
  }

  private static func marker(_ word: String) -> [UInt8] { dashes + Array("\(word) ".utf8) + label + dashes }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let last = line.lastIndex(where: { !isSpace($0) }) else { return [] }
    return line[...last].drop(while: isSpace)
  }

  /// One whole certificate and nothing behind it, with a public key that can be read.
  private static func isCertificate(_ der: [UInt8]) -> Bool {
    defer { ERR_clear_error() }
    return der.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      guard let certificate = d2i_X509(nil, &position, buffer.count) else { return false }
      defer { X509_free(certificate) }
      return position == buffer.baseAddress.map { $0 + buffer.count } && X509_get0_pubkey(certificate) != nil
    }
  }
}
