import Platform
import WireBytes

/// The file with the key of the pseudonyms.
enum PseudonymKeyFile {
  /// Fewer bytes could be guessed.
  static let leastLength = 16
  /// More are no key, but something else by mistake.
  static let mostLength = 1 << 20

  static func bytes(_ path: String) throws -> [UInt8] {
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
