/// What is known of a stream's TLS connection, whose plaintext its events have.
package struct StreamEncryption: Equatable, Sendable {
  package struct Half: Equatable, Sendable {
    /// Whether its events have the plaintext. If not, it has none, and its ciphertext is counted here.
    package var isDecrypted = false
    /// Bytes of ciphertext, and those missing.
    package var bytes = 0
    package var gapBytes = 0

    package init() {}
  }

  /// `TLS 1.2`.
  package var version: String?
  package var cipher: String?
  package var serverName: String?
  package var applicationProtocol: String?
  package var serverSubject: String?
  package var clientSubject: String?
  /// The attribute UID of the client's certificate: Apple's name of the app.
  package var clientUserID: String?
  /// The file with the secret that decrypted the stream, and its line from 1, if it has lines. Never the secret.
  package var keyFile: String?
  package var keyLine: Int?
  package var first = Half()
  package var second = Half()

  package init() {}

  package subscript(side: Side) -> Half {
    get { side == .first ? first : second }
    set { if side == .first { first = newValue } else { second = newValue } }
  }
}

/// A key log in a capture file (Decryption Secrets Block).
package struct EmbeddedSecrets: Sendable, CustomStringConvertible, CustomReflectable {
  package var bytes: [UInt8]
  /// Offset in the file of the first byte.
  package var fileOffset: Int

  /// No key log: some may follow the packets that they are for.
  package static let awaited = EmbeddedSecrets(bytes: [], fileOffset: 0)

  package var description: String { "secrets" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
