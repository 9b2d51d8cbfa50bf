import CLibcrypto
import WireBytes

/// How a report calls tokens: by their hex digits, or by pseudonyms that only the holder of a key can make again
/// (docs/decisions/0033-keyed-pseudonyms.md).
struct TokenNames {
  /// Bytes of the code that a pseudonym shows: so many that two of 50 million tokens share one with a chance of one in
  /// 15,000.
  private static let shownLength = 8

  /// Nil shows tokens as they are.
  let key: [UInt8]?

  func name(_ token: some Collection<UInt8>) throws -> String {
    guard !token.isEmpty else { return "(empty)" }
    guard let key else { return Hex.string(token) }
    return try "device-" + Hex.string(Self.code(of: Array(token), key: key).prefix(Self.shownLength))
  }

  /// HMAC-SHA-256 (RFC 2104) of the token's bytes: neither the input nor how the token was written there is in it.
  private static func code(of token: [UInt8], key: [UInt8]) throws -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard HMAC(EVP_sha256(), key, Int32(key.count), token, token.count, &code, &length) != nil, length == 32
    else {
      throw Failure("libcrypto has no HMAC-SHA-256 to offer: no report can be redacted with it")
    }
    return Array(code.prefix(Int(length)))
  }
}
