import WireBytes

/// Recognises TLS records (protocol.md, "What is not this protocol").
public enum Ciphertext {
  /// Bytes of a stream's beginning that tell.
  public static let headLength = 3

  /// Whether a stream that begins with `head` is TLS: a content type of 20 to 23, and a version from SSL 3.0
  /// (3, 0) to TLS 1.3 (3, 4). Read as a tuple that is a time in 1980 to 1982.
  public static func begins(_ head: [UInt8]) -> Bool {
    head.count >= headLength && (0x14...0x17).contains(head[0]) && head[1] == 0x03 && head[2] <= 0x04
  }
}
