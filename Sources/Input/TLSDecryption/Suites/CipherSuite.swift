import Basics
import CLibcrypto

/// How records are encrypted and proved, and where the keys come from.
package struct CipherSuite: Sendable {
  package enum Cipher: Sendable {
    case null, rc4
    case cbc(CBCCipher.Algorithm)
    case aead(AEADCipher.Algorithm)
  }

  /// As far as it matters here.
  enum KeyExchange: Sendable {
    /// The client encrypts the premaster secret with the server's RSA key.
    case rsa
    /// The premaster secret is the shared key alone, or with one that RSA encrypts.
    case psk, rsaPSK
    case other
  }

  let id: UInt16
  /// IANA's name.
  package let name: String
  let keyExchange: KeyExchange
  /// Nil where the cipher is not supported.
  package let cipher: Cipher?
  /// Of HMAC; meaningless with an AEAD.
  let mac: DigestAlgorithm
  /// Of the key derivation of TLS 1.2 and 1.3.
  package let prf: DigestAlgorithm

  /// The suites of suites.txt.
  private static let table: [UInt16: CipherSuite] = {
    var table: [UInt16: CipherSuite] = [:]
    for line in String(decoding: PackageResources.suites_txt, as: UTF8.self).split(separator: "\n") {
      let parts = line.split { $0 == " " || $0 == ":" }
      guard parts.count == 3, let id = UInt16(parts[0], radix: 16) else { continue }
      table[id] = CipherSuite(id, keyExchange: String(parts[1]), cipher: String(parts[2]))
    }
    return table
  }()

  /// The suites of TLS 1.3, the most common first.
  static let ofTLS13: [CipherSuite] = [0x1301, 0x1303, 0x1302, 0x1304, 0x1305].map { CipherSuite($0) }

  /// By the beginnings of their names, of which the first counts.
  private static let ciphers: [(String, Cipher)] = [
    ("NULL_", .null), ("RC4_128_", .rc4),
    ("DES_CBC_", .cbc(.init(keyLength: 8, blockLength: 8, cipher: EVP_des_ede3_cbc))),
    ("3DES_EDE_CBC_", .cbc(.init(keyLength: 24, blockLength: 8, cipher: EVP_des_ede3_cbc))),
    ("AES_128_CBC_", .cbc(.init(keyLength: 16, cipher: EVP_aes_128_cbc))),
    ("AES_256_CBC_", .cbc(.init(keyLength: 32, cipher: EVP_aes_256_cbc))),
    ("CAMELLIA_128_CBC_", .cbc(.init(keyLength: 16, cipher: EVP_camellia_128_cbc))),
    ("CAMELLIA_256_CBC_", .cbc(.init(keyLength: 32, cipher: EVP_camellia_256_cbc))),
    ("AES_128_GCM_", .aead(.init(keyLength: 16, cipher: EVP_aes_128_gcm))),
    ("AES_256_GCM_", .aead(.init(keyLength: 32, cipher: EVP_aes_256_gcm))),
    ("AES_128_CCM_8", .aead(.init(keyLength: 16, tagLength: 8, isCCM: true, cipher: EVP_aes_128_ccm))),
    ("AES_256_CCM_8", .aead(.init(keyLength: 32, tagLength: 8, isCCM: true, cipher: EVP_aes_256_ccm))),
    ("AES_128_CCM", .aead(.init(keyLength: 16, isCCM: true, cipher: EVP_aes_128_ccm))),
    ("AES_256_CCM", .aead(.init(keyLength: 32, isCCM: true, cipher: EVP_aes_256_ccm))),
    ("CHACHA20_", .aead(.init(keyLength: 32, explicitNonceLength: 0, cipher: EVP_chacha20_poly1305))),
    ("CAMELLIA_128_GCM_", .aead(.init(keyLength: 16, isCamellia: true, cipher: EVP_camellia_128_ecb))),
    ("CAMELLIA_256_GCM_", .aead(.init(keyLength: 32, isCamellia: true, cipher: EVP_camellia_256_ecb))),
  ]

  /// Bytes of the MAC key and of a MAC; 0 with an AEAD.
  var macLength: Int { if case .aead = cipher { 0 } else { mac.length } }

  /// Bytes of the cipher's key, and of the part of its nonce or IV that the key block has.
  func keyLengths(_ version: TLSVersion) -> (key: Int, iv: Int) {
    switch cipher {
    case nil, .null: (0, 0)
    case .rc4: (16, 0)
    case .cbc(let algorithm): (algorithm.keyLength, version <= .tls10 ? algorithm.blockLength : 0)
    case .aead(let algorithm):
      (algorithm.keyLength, AEADCipher.nonceLength - (version == .tls13 ? 0 : algorithm.explicitNonceLength))
    }
  }
}

extension CipherSuite {
  package init(_ id: UInt16) {
    let digits = Hex.string([UInt8(id >> 8), UInt8(id & 0xff)], letterCase: .upper)
    self =
      Self.table[id]
      ?? CipherSuite(id: id, name: "0x" + digits, keyExchange: .other, cipher: nil, mac: .sha1, prf: .sha256)
  }

  private init(_ id: UInt16, keyExchange exchange: String, cipher name: String) {
    self.init(
      id: id, name: exchange == "ANY" ? "TLS_\(name)" : "TLS_\(exchange)_WITH_\(name)",
      keyExchange: exchange == "RSA"
        ? .rsa : exchange == "PSK" ? .psk : exchange == "RSA_PSK" ? .rsaPSK : .other,
      cipher: Self.ciphers.first { name.hasPrefix($0.0) }?.1,
      mac: name.hasSuffix("_MD5")
        ? .md5 : name.hasSuffix("_SHA") ? .sha1 : name.hasSuffix("384") ? .sha384 : .sha256,
      prf: name.hasSuffix("384") ? .sha384 : .sha256)
  }
}
