import CLibcrypto

/// A cipher that proves what it decrypts by a tag, with one key for many records.
package final class AEADCipher {
  package struct Algorithm: Sendable {
    package let keyLength: Int
    package var tagLength = 16
    /// Bytes of the nonce that a record of TLS 1.2 has.
    var explicitNonceLength = 8
    var isCCM = false
    /// libcrypto has no Camellia-GCM cipher, but its GCM accepts any block cipher.
    var isCamellia = false
    let cipher: @Sendable () -> OpaquePointer?
  }

  static let nonceLength = 12

  let algorithm: Algorithm
  private let context: OpaquePointer
  /// GCM with the block cipher of the context, for Camellia; otherwise nil.
  private let mode: OpaquePointer?

  init?(_ algorithm: Algorithm, key: [UInt8]) {
    guard key.count == algorithm.keyLength, let context = EVP_CIPHER_CTX_new() else { return nil }
    self.algorithm = algorithm
    self.context = context
    if algorithm.isCamellia {
      mode = Self.mode(over: context, algorithm, key)
      if mode == nil { return nil }
      return
    }
    mode = nil
    guard EVP_DecryptInit_ex(context, algorithm.cipher(), nil, nil, nil) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(Self.nonceLength), nil) == 1,
      !algorithm.isCCM
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(algorithm.tagLength), nil) == 1,
      EVP_DecryptInit_ex(context, nil, nil, key, nil) == 1
    else { return nil }
  }

  deinit {
    CRYPTO_gcm128_release(mode)
    EVP_CIPHER_CTX_free(context)
  }

  private static func mode(over context: OpaquePointer, _ algorithm: Algorithm, _ key: [UInt8])
    -> OpaquePointer?
  {
    guard EVP_EncryptInit_ex(context, algorithm.cipher(), nil, key, nil) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { return nil }
    return CRYPTO_gcm128_new(UnsafeMutableRawPointer(context)) { input, output, context in
      var done: Int32 = 0
      EVP_EncryptUpdate(context.map { OpaquePointer($0) }, output, &done, input, 16)
    }
  }

  /// Decrypts `count` bytes, which the tag follows; false if the tag is wrong, and then the output is worth nothing.
  func open(
    _ input: UnsafePointer<UInt8>, count: Int, nonce: UnsafePointer<UInt8>,
    additional: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let tag = UnsafeMutableRawPointer(mutating: input + count)
    let tagLength = Int32(truncatingIfNeeded: algorithm.tagLength)
    let length = Int32(truncatingIfNeeded: count)
    let additionalLength = Int32(truncatingIfNeeded: additional.count)
    var done: Int32 = 0
    if let mode {
      CRYPTO_gcm128_setiv(mode, nonce, Self.nonceLength)
      return CRYPTO_gcm128_aad(mode, additional.baseAddress, additional.count) == 0
        && CRYPTO_gcm128_decrypt(mode, input, output, count) == 0
        && CRYPTO_gcm128_finish(mode, input + count, algorithm.tagLength) == 0
    }
    if algorithm.isCCM {
      return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagLength, tag) == 1
        && EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
        && EVP_DecryptUpdate(context, nil, &done, nil, length) == 1
        && EVP_DecryptUpdate(context, nil, &done, additional.baseAddress, additionalLength) == 1
        && EVP_DecryptUpdate(context, output, &done, input, length) == 1
    }
    return EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
      && EVP_DecryptUpdate(context, nil, &done, additional.baseAddress, additionalLength) == 1
      && (count == 0 || EVP_DecryptUpdate(context, output, &done, input, length) == 1)
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagLength, tag) == 1
      && EVP_DecryptFinal_ex(context, output + count, &done) == 1
  }
}
