import CLibcrypto

/// A block cipher in CBC mode, with one key for many records.
package final class CBCCipher {
  package struct Algorithm: Sendable {
    package let keyLength: Int
    package var blockLength = 16
    let cipher: @Sendable () -> OpaquePointer?
  }

  let blockLength: Int
  private let context: OpaquePointer

  init?(_ algorithm: Algorithm, key: [UInt8]) {
    guard key.count == algorithm.keyLength, let context = EVP_CIPHER_CTX_new() else { return nil }
    // DES is triple DES with one key; by itself it is in a provider that may be missing.
    let key = key.count == 8 ? key + key + key : key
    guard EVP_DecryptInit_ex(context, algorithm.cipher(), nil, key, nil) == 1,
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
