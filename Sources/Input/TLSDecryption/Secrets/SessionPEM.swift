import CLibcrypto

/// A session file of `openssl s_client -sess_out`: base64 of the ASN.1 of `SSL_SESSION`, which begins with two versions, the
/// suite, the session id and the master key.
struct SessionPEM {
  static let begin = Array("-----BEGIN SSL SESSION PARAMETERS-----".utf8)
  /// The file has the peer's certificates, too: some KiB each.
  private static let maxLength = 3 << 17

  private let origin: SecretOrigin
  /// Base64 without its padding.
  private var text: [UInt8] = []

  init(origin: SecretOrigin) { self.origin = origin }

  mutating func append(_ line: ArraySlice<UInt8>) {
    guard text.count < Self.maxLength else { return }
    text += line.filter { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: " ") }
  }

  /// True if it gave a master secret.
  func finish(to store: inout SecretStore) -> Bool {
    let padded = text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    var content = [UInt8](repeating: 0, count: padded.count / 4 * 3)
    guard EVP_DecodeBlock(&content, padded, Int32(clamping: padded.count)) >= 0,
      let (session, master) = Self.secret(content)
    else { return false }
    store.add(master: master, session: session, at: origin)
    return true
  }

  private static func secret(_ content: [UInt8]) -> (session: [UInt8], master: [UInt8])? {
    var outer = ByteCursor(content)
    guard let sequence = outer.element(0x30) else { return nil }
    var fields = ByteCursor(sequence)
    guard fields.element(0x02) != nil, let version = fields.element(0x02),
      version.last.map({ $0 <= 3 }) == true,
      fields.element(0x04) != nil, let session = fields.element(0x04), let master = fields.element(0x04),
      master.count == 48
    else { return nil }
    return (Array(session), Array(master))
  }
}
