/// Why a file isn't a bundle of certificates. Never with a part of its text, which may be a key.
package enum CertificateError: Error, Sendable, Equatable {
  case empty
  case tooLarge
  case noCertificate
  /// Whoever can read the file has the key: it belongs elsewhere.
  case privateKey
  /// A block of another kind, or the end of one that never began. Blocks are counted from 1.
  case otherBlock(block: Int)
  /// A block that is cut off, not Base64 or not a certificate.
  case malformed(block: Int)

  /// The end of a sentence about the file.
  package var reason: String {
    switch self {
    case .empty: "is empty"
    case .tooLarge: "is larger than \(CertificateBundle.limit) bytes"
    case .noCertificate: "has no certificate"
    case .privateKey: "has a private key, which must not be there"
    case .otherBlock(let block): "has something other than a certificate as block \(block)"
    case .malformed(let block): "has a certificate that is cut off or damaged (block \(block))"
    }
  }
}
