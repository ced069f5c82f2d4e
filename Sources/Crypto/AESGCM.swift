import COpenSSL

/// AES-256-GCM with a random 96-bit nonce: how secrets lie in the database. One key may seal 2^32 messages.
package enum AESGCM {
  /// How long a key is.
  package static let keyCount = 32
  private static let nonceCount = 12
  private static let tagCount = 16

  /// nonce | ciphertext | tag. The associated data isn't part of it and must be given again to open.
  package static func seal(
    _ plaintext: [UInt8], key: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == keyCount else { throw .keyLength(expected: keyCount) }
    let nonce = SystemRandom.bytes(nonceCount)
    guard let context = EVP_CIPHER_CTX_new() else { throw .library }
    defer { EVP_CIPHER_CTX_free(context) }
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: tagCount)
    var written: Int32 = 0
    guard let length = Int32(exactly: plaintext.count), let dataLength = Int32(exactly: associatedData.count),
      EVP_EncryptInit_ex2(context, Algorithms.aes256GCM, key, nonce, nil) == 1,
      associatedData.isEmpty || EVP_EncryptUpdate(context, nil, &written, associatedData, dataLength) == 1,
      plaintext.isEmpty || EVP_EncryptUpdate(context, &ciphertext, &written, plaintext, length) == 1,
      EVP_EncryptFinal_ex(context, nil, &written) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1
    else {
      ERR_clear_error()
      throw .library
    }
    return nonce + ciphertext + tag
  }

  /// The plaintext, only if not one bit of the sealed bytes, the key or the associated data differs.
  package static func open(
    _ sealed: [UInt8], key: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == keyCount else { throw .keyLength(expected: keyCount) }
    guard sealed.count >= nonceCount + tagCount else { throw .authenticationFailed }
    guard let context = EVP_CIPHER_CTX_new() else { throw .library }
    defer { EVP_CIPHER_CTX_free(context) }
    let nonce = Array(sealed.prefix(nonceCount))
    let ciphertext = Array(sealed.dropFirst(nonceCount).dropLast(tagCount))
    var tag = Array(sealed.suffix(tagCount))
    var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
    var written: Int32 = 0
    guard let length = Int32(exactly: ciphertext.count), let dataLength = Int32(exactly: associatedData.count),
      EVP_DecryptInit_ex2(context, Algorithms.aes256GCM, key, nonce, nil) == 1,
      associatedData.isEmpty || EVP_DecryptUpdate(context, nil, &written, associatedData, dataLength) == 1,
      ciphertext.isEmpty || EVP_DecryptUpdate(context, &plaintext, &written, ciphertext, length) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1,
      EVP_DecryptFinal_ex(context, nil, &written) == 1
    else {
      ERR_clear_error()
      throw .authenticationFailed
    }
    return plaintext
  }
}
