import Basics
import CLibcrypto

/// A token in hex, as the page shows it unless it is redacted.
enum ShownToken {
  static func hex(_ token: [UInt8]) -> String { token.isEmpty ? "(empty)" : Hex.string(token) }

  static func hex(_ range: Range<Int>, in bytes: RawSpan) -> String {
    hex(bytes.extracting(range).withUnsafeBytes { Array($0) })
  }
}

/// Names for tokens and other texts that can be computed only with a secret key
/// (docs/decisions/output.md#33-pseudonyms).
struct Pseudonyms {
  /// Bytes of the code in a pseudonym. The chance that two of 50 million tokens share one is one in 15,000.
  private static let shownLength = 8

  let key: [UInt8]

  /// - Parameter text: of `ShownToken`. What is not hex is an empty token.
  func name(ofHex text: String) throws -> String {
    guard let token = Hex.bytes(text), !token.isEmpty else { return ShownToken.hex([]) }
    return try name(of: token, "device")
  }

  /// `host-` and 16 digits for a host, likewise for other kinds of text.
  func name(of text: String, as kind: String) throws -> String {
    try name(of: Array("\(kind)\0\(text)".utf8), kind)
  }

  /// From the HMAC-SHA-256 (RFC 2104) of the bytes, independent of the input and its format.
  private func name(of bytes: [UInt8], _ kind: String) throws -> String {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, &length) != nil, length == 32
    else { throw CommandError("libcrypto does not provide HMAC-SHA-256, which redacted reports need") }
    return "\(kind)-" + Hex.string(code.prefix(Self.shownLength))
  }
}

package enum PseudonymKeyFile {
  /// In bytes; a shorter key could be guessed.
  package static let leastLength = 16
  /// In bytes; a longer file is probably not a key.
  static let mostLength = 1 << 20

  package static func bytes(_ path: String) throws -> [UInt8] {
    ReadFiles.add(Array(path.utf8CString), as: "the key of --redact")
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { _ = close(descriptor) }
    var key: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while key.count <= mostLength {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { break }
      key += chunk.prefix(count)
    }
    guard key.count >= leastLength else {
      throw CommandError(
        "\(path) has \(Count.of(key.count, "byte")), but a pseudonym key needs \(leastLength) or more; "
          + "make one with `openssl rand -hex 32 > \(path)`")
    }
    guard key.count <= mostLength else {
      throw CommandError(
        "\(path) is larger than \(mostLength) bytes, which is too large for a pseudonym key; check the "
          + "file name")
    }
    return key
  }

  private static func unreadable(_ path: String) -> CommandError {
    CommandError(
      "cannot read the pseudonym key \(path): \(SystemError.text()); make one with `openssl rand -hex "
        + "32 > FILE`")
  }
}
