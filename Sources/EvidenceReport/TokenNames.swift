import CLibcrypto
import Platform
import WireBytes

/// How a report calls tokens: by their hex digits, or by pseudonyms that only the holder of a key can make again
/// (docs/decisions/0033-keyed-pseudonyms.md).
package struct TokenNames {
  /// Bytes of the code that a pseudonym shows: so many that two of 50 million tokens share one with a chance of one in
  /// 15,000.
  private static let shownLength = 8

  /// Nil shows tokens as they are.
  package let key: [UInt8]?

  package init(key: [UInt8]?) { self.key = key }

  package func name(_ token: some Collection<UInt8>) throws -> String {
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

/// The file with the key of the pseudonyms.
package enum PseudonymKeyFile {
  /// Fewer bytes could be guessed.
  package static let leastLength = 16
  /// More are no key, but something else by mistake.
  static let mostLength = 1 << 20

  package static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { _ = close(descriptor) }
    var key: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while key.count <= mostLength {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { break }
      key += piece.prefix(count)
    }
    guard key.count >= leastLength else {
      throw Failure(
        "\(path) holds \(Count.of(key.count, "byte")), and a key of pseudonyms has \(leastLength) or more: make one with "
          + "`openssl rand -hex 32 > \(path)`")
    }
    guard key.count <= mostLength else {
      throw Failure("\(path) holds more than \(mostLength) bytes, which no key does: was another file meant?")
    }
    return key
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(
      "\(path) cannot be read as the key of pseudonyms: \(SystemError.text()); make one with "
        + "`openssl rand -hex 32 > FILE`")
  }
}
