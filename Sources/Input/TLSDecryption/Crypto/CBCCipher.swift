import CLibcrypto

/// A block cipher in CBC mode, with one key for many records.
package final class CBCCipher {
  package enum Algorithm: Sendable {
    case des, tripleDES, aes128, aes256, camellia128, camellia256

    var keyLength: Int {
      switch self {
      case .des: 8
      case .tripleDES: 24
      case .aes128, .camellia128: 16
      case .aes256, .camellia256: 32
      }
    }

    var blockLength: Int { self == .des || self == .tripleDES ? 8 : 16 }

    fileprivate var cipher: OpaquePointer? {
      switch self {
      case .des, .tripleDES: EVP_des_ede3_cbc()
      case .aes128: EVP_aes_128_cbc()
      case .aes256: EVP_aes_256_cbc()
      case .camellia128: EVP_camellia_128_cbc()
      case .camellia256: EVP_camellia_256_cbc()
      }
    }
  }

  let blockLength: Int
  private let context: OpaquePointer

  init?(_ algorithm: Algorithm, key: [UInt8]) {
    guard key.count == algorithm.keyLength, let context = EVP_CIPHER_CTX_new() else { return nil }
    // DES is triple DES with one key; by itself it is in a provider that may be missing.
    let key = algorithm == .des ? key + key + key : key
    guard EVP_DecryptInit_ex(context, algorithm.cipher, nil, key, nil) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else {
      EVP_CIPHER_CTX_free(context)
      return nil
    }
    self.context = context
    blockLength = algorithm.blockLength
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  /// Decrypts `count` bytes, a multiple of the block's length.
  func decrypt(
    _ input: UnsafePointer<UInt8>, count: Int, iv: UnsafePointer<UInt8>,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    var done: Int32 = 0
    return EVP_DecryptInit_ex(context, nil, nil, nil, iv) == 1
      && EVP_DecryptUpdate(context, output, &done, input, Int32(truncatingIfNeeded: count)) == 1
      && Int(done) == count
  }
}
