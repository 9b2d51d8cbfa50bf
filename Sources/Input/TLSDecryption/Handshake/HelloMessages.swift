/// What a client offers, as far as it matters for keys and reports.
package struct ClientHello: Sendable {
  var version: UInt16
  package var random: HelloRandom
  var session: [UInt8]
  package var serverName: String?
  /// Its ALPN extension has `h2`.
  package var offersHTTP2 = false
  /// The session ticket; empty if it asks for one.
  var ticket: [UInt8]?
  var offersTLS13 = false

  /// Whether it names a service that providers talk to: `api.sandbox.push.apple.com`, but not `1-courier.push.apple.com`.
  var namesService: Bool {
    let name = serverName ?? ""
    return name.hasSuffix(".push.apple.com")
      && ["api.", "gateway.", "feedback."].contains(where: name.hasPrefix)
  }

  /// - Parameter body: the message without its type and length.
  init?(_ body: ArraySlice<UInt8>) {
    var cursor = ByteCursor(body)
    guard let version = cursor.u16(), let random = cursor.take(32).flatMap({ HelloRandom($0) }),
      let session = cursor.vector(1), session.count <= 32, cursor.vector(2) != nil, cursor.vector(1) != nil
    else { return nil }
    self.version = UInt16(truncatingIfNeeded: version)
    self.random = random
    self.session = Array(session)
    for (type, content) in Extensions(&cursor) {
      switch type {
      case Extensions.serverName: serverName = Self.serverName(content)
      case Extensions.sessionTicket: ticket = Array(content)
      case Extensions.protocolNames:
        var names = ByteCursor(content.dropFirst(2))
        while let name = names.vector(1) {
          if name.elementsEqual("h2".utf8) { offersHTTP2 = true }
        }
      case Extensions.supportedVersions:
        var versions = ByteCursor(content.dropFirst())
        while let version = versions.u16() {
          if version == 0x0304 { offersTLS13 = true }
        }
      default: break
      }
    }
  }

  /// A hello in the framing of SSL 2.0 (RFC 5246, appendix E.2), without its two bytes of length.
  init?(ssl2 message: ArraySlice<UInt8>) {
    var cursor = ByteCursor(message)
    guard cursor.u8() == 1, let version = cursor.u16(), version >= 0x0300, let suites = cursor.u16(),
      let session = cursor.u16(), let challenge = cursor.u16(), (16...32).contains(challenge),
      cursor.take(suites) != nil, let id = cursor.take(session), let bytes = cursor.take(challenge),
      let random = HelloRandom([UInt8](repeating: 0, count: 32 - challenge) + bytes)
    else { return nil }
    self.version = UInt16(truncatingIfNeeded: version)
    self.random = random
    self.session = Array(id)
  }

  private static func serverName(_ content: ArraySlice<UInt8>) -> String? {
    var cursor = ByteCursor(content)
    guard var list = cursor.vector(2).map({ ByteCursor($0) }), list.u8() == 0, let name = list.vector(2),
      !name.isEmpty
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }
}

struct ServerHello: Sendable {
  /// SHA-256 of `HelloRetryRequest` (RFC 8446, section 4.1.3).
  private static let retry: [UInt8] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
  ]

  var version: TLSVersion
  var random: HelloRandom
  var session: [UInt8]
  var suite: CipherSuite
  var compression: Int
  var hasExtendedMasterSecret = false
  var hasEncryptThenMAC = false
  var protocolName: String?
  /// A session ticket will follow.
  var issuesTicket = false
  /// It asks the client for another hello.
  var isRetry: Bool

  init?(_ body: ArraySlice<UInt8>) {
    var cursor = ByteCursor(body)
    guard let version = cursor.u16(), let bytes = cursor.take(32), let random = HelloRandom(bytes),
      let session = cursor.vector(1), session.count <= 32, let suite = cursor.u16(),
      let compression = cursor.u8()
    else { return nil }
    self.version = TLSVersion(rawValue: UInt16(truncatingIfNeeded: version))
    self.random = random
    self.session = Array(session)
    self.suite = CipherSuite(UInt16(truncatingIfNeeded: suite))
    self.compression = compression
    isRetry = bytes.elementsEqual(Self.retry)
    for (type, content) in Extensions(&cursor) {
      switch type {
      case Extensions.extendedMasterSecret: hasExtendedMasterSecret = true
      case Extensions.encryptThenMAC: hasEncryptThenMAC = true
      case Extensions.sessionTicket: issuesTicket = true
      case Extensions.supportedVersions:
        var field = ByteCursor(content)
        if let selected = field.u16() {
          self.version = TLSVersion(rawValue: UInt16(truncatingIfNeeded: selected))
        }
      case Extensions.protocolNames: protocolName = Extensions.protocolName(content)
      default: break
      }
    }
  }
}

/// The extensions of a hello, from where the cursor is; none where their length is wrong.
struct Extensions: Sequence, IteratorProtocol {
  static let serverName = 0
  static let protocolNames = 16
  static let encryptThenMAC = 22
  static let extendedMasterSecret = 23
  static let sessionTicket = 35
  static let supportedVersions = 43

  private var cursor: ByteCursor

  init(_ hello: inout ByteCursor) { cursor = ByteCursor(hello.vector(2) ?? []) }

  mutating func next() -> (type: Int, content: ArraySlice<UInt8>)? {
    guard let type = cursor.u16(), let content = cursor.vector(2) else { return nil }
    return (type, content)
  }

  /// The one name of the server's ALPN extension.
  static func protocolName(_ content: ArraySlice<UInt8>) -> String? {
    var cursor = ByteCursor(content)
    guard var list = cursor.vector(2).map({ ByteCursor($0) }), let name = list.vector(1), !name.isEmpty else {
      return nil
    }
    return String(decoding: name, as: UTF8.self)
  }
}
