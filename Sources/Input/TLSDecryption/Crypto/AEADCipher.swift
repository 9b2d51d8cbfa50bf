import CLibcrypto

/// A cipher that proves what it decrypts by a tag, with one key for many records.
package final class AEADCipher {
  package enum Algorithm: Sendable {
    case aes128GCM, aes256GCM, aes128CCM, aes256CCM, aes128CCM8, aes256CCM8, chaCha20Poly1305, camellia128GCM,
      camellia256GCM

    var keyLength: Int {
      switch self {
      case .aes128GCM, .aes128CCM, .aes128CCM8, .camellia128GCM: 16
      case .aes256GCM, .aes256CCM, .aes256CCM8, .chaCha20Poly1305, .camellia256GCM: 32
      }
    }

    var tagLength: Int { self == .aes128CCM8 || self == .aes256CCM8 ? 8 : 16 }

    /// In TLS 1.2 a record has 8 bytes of the nonce, except with ChaCha20.
    var explicitNonceLength: Int { self == .chaCha20Poly1305 ? 0 : 8 }

    fileprivate var isCCM: Bool {
      switch self {
      case .aes128CCM, .aes256CCM, .aes128CCM8, .aes256CCM8: true
      case .aes128GCM, .aes256GCM, .chaCha20Poly1305, .camellia128GCM, .camellia256GCM: false
      }
    }

    /// libcrypto has no Camellia-GCM cipher, but its GCM accepts any block cipher.
    fileprivate var isCamellia: Bool { self == .camellia128GCM || self == .camellia256GCM }

    fileprivate var cipher: OpaquePointer? {
      switch self {
      case .aes128GCM: EVP_aes_128_gcm()
      case .aes256GCM: EVP_aes_256_gcm()
      case .aes128CCM, .aes128CCM8: EVP_aes_128_ccm()
      case .aes256CCM, .aes256CCM8: EVP_aes_256_ccm()
      case .chaCha20Poly1305: EVP_chacha20_poly1305()
      case .camellia128GCM: EVP_camellia_128_ecb()
      case .camellia256GCM: EVP_camellia_256_ecb()
      }
    }
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
    guard EVP_DecryptInit_ex(context, algorithm.cipher, nil, nil, nil) == 1,
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
    guard EVP_EncryptInit_ex(context, algorithm.cipher, nil, key, nil) == 1,
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
