import CLibcrypto

/// A server's RSA key: it decrypts the premaster secrets that clients encrypted for it.
///
/// libcrypto's object is not changed once it is made, and counts its users atomically.
package final class PrivateKey: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  package enum ReadError: Error, Equatable, Sendable {
    /// Neither PEM nor PKCS#12 with a private key.
    case noKey
    /// The passphrase is missing or wrong.
    case passphrase
    case notRSA
    /// PKCS#12 with a cipher that libcrypto does not have.
    case legacy
  }

  let file: Int
  private let key: OpaquePointer

  package var description: String { "private key" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  /// - Parameters:
  ///   - content: PEM (PKCS#1 or #8), or PKCS#12.
  ///   - file: the number that origins have.
  package init(_ content: [UInt8], passphrase: [UInt8]? = nil, file: Int) throws(ReadError) {
    let key: OpaquePointer
    do throws(ReadError) {
      key = try Self.read(content, passphrase)
    } catch {
      guard Self.hasLegacyCiphers else { throw error }
      key = try Self.read(content, passphrase)
    }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
      EVP_PKEY_free(key)
      throw .notRSA
    }
    self.key = key
    self.file = file
  }

  deinit { EVP_PKEY_free(key) }

  /// Loads RC2, DES and the like, of which old files are made.
  private static let hasLegacyCiphers =
    OSSL_PROVIDER_load(nil, "legacy") != nil && OSSL_PROVIDER_load(nil, "default") != nil

  private static func read(_ content: [UInt8], _ passphrase: [UInt8]?) throws(ReadError) -> OpaquePointer {
    guard let bio = BIO_new_mem_buf(content, Int32(clamping: content.count)) else { throw .noKey }
    defer {
      BIO_free(bio)
      ERR_clear_error()
    }
    // An empty passphrase keeps libcrypto from asking at the terminal.
    var text = (passphrase ?? []).map { CChar(bitPattern: $0) } + [0]
    if content.contains(UInt8(ascii: "-")), content.first != 0x30 {
      if let key = PEM_read_bio_PrivateKey(bio, nil, nil, &text) { return key }
      throw String(decoding: content, as: UTF8.self).contains("ENCRYPTED") ? .passphrase : .noKey
    }
    guard let container = d2i_PKCS12_bio(bio, nil) else { throw .noKey }
    defer { PKCS12_free(container) }
    guard
      PKCS12_mac_present(container) == 0
        || PKCS12_verify_mac(container, text, Int32(clamping: text.count - 1)) == 1
    else { throw .passphrase }
    var key: OpaquePointer?
    let isRead = PKCS12_parse(container, text, &key, nil, nil) == 1
    guard let key else { throw isRead ? .noKey : .legacy }
    return key
  }

  /// The premaster secret that the client encrypted, with its 2 bytes of version; nil if this is not the key for it.
  ///
  /// The padding is checked here: libcrypto from 3.2 on returns random bytes where it is wrong.
  func premaster(_ input: [UInt8], offered version: UInt16) -> [UInt8]? {
    guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var output = [UInt8](repeating: 0, count: Int(max(0, EVP_PKEY_get_size(key))))
    var count = output.count
    guard input.count == count, EVP_PKEY_decrypt_init(context) == 1,
      EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1,
      EVP_PKEY_decrypt(context, &output, &count, input, input.count) == 1, count == output.count,
      count >= 48 + 11, output[0] == 0, output[1] == 2, output[count - 49] == 0,
      !output[2..<(count - 49)].contains(0)
    else {
      ERR_clear_error()
      return nil
    }
    let premaster = Array(output.suffix(48))
    // Some clients have the version that was selected.
    let found = UInt16(premaster[0]) << 8 | UInt16(premaster[1])
    return found == version || (found >= 0x0300 && found <= 0x0303) ? premaster : nil
  }
}
