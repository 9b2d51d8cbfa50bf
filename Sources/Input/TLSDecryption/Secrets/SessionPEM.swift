/// A session file of `openssl s_client -sess_out`: base64 of the ASN.1 of `SSL_SESSION`, which begins with two versions, the
/// suite, the session id and the master key.
struct SessionPEM {
  static let begin = Array("-----BEGIN SSL SESSION PARAMETERS-----".utf8)
  /// The file has the peer's certificates, too: some KiB each.
  private static let maxLength = 1 << 18

  private let origin: SecretOrigin
  private var content: [UInt8] = []
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var isBad = false

  init(origin: SecretOrigin) { self.origin = origin }

  mutating func append(_ text: ArraySlice<UInt8>) {
    for character in text {
      guard let value = Self.value(of: character) else {
        if character != UInt8(ascii: "="), character != UInt8(ascii: " ") { isBad = true }
        continue
      }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      if content.count < Self.maxLength {
        content.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
  }

  /// True if it gave a master secret.
  func finish(to store: inout SecretStore) -> Bool {
    guard !isBad, let (session, master) = Self.secret(content) else { return false }
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

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
