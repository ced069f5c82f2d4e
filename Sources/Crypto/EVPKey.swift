import COpenSSL

/// Owns one OpenSSL key.
///
/// `@unchecked Sendable`: the key is complete before the handle exists and never changed after; OpenSSL's reference
/// counts and caches inside it are locked, and every operation has its own context.
final class EVPKey: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  /// A public key out of an uncompressed point, or nil unless it is on the curve.
  static func publicKey(point: [UInt8]) -> EVPKey? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    guard let key = kits_p256_public_key(context, point, point.count) else {
      ERR_clear_error()
      return nil
    }
    return EVPKey(owning: key)
  }

  /// The pair of a private number that is in range; OpenSSL computes the public half.
  static func pair(scalar: [UInt8]) -> EVPKey? {
    var der = P256Encoding.pkcs8(scalar: scalar)
    defer { OPENSSL_cleanse(&der, der.count) }
    let key = der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_PrivateKey(EVP_PKEY_EC, nil, &start, buffer.count)
    }
    guard let key else {
      ERR_clear_error()
      return nil
    }
    return EVPKey(owning: key)
  }

  /// A new pair.
  static func generate() -> EVPKey? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
      EVP_PKEY_generate(context, &key) == 1, let key
    else {
      ERR_clear_error()
      return nil
    }
    return EVPKey(owning: key)
  }

  /// The uncompressed public point.
  func point() -> [UInt8]? {
    var point = [UInt8](repeating: 0, count: P256Encoding.pointCount)
    var count = 0
    let isFine =
      EVP_PKEY_get_octet_string_param(pointer, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, &point, point.count, &count) == 1
    return isFine && count == point.count && point[0] == 4 ? point : nil
  }

  /// The private number.
  func scalar() -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else { return nil }
    defer { BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: P256Encoding.scalarCount)
    return BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) ? bytes : nil
  }
}
