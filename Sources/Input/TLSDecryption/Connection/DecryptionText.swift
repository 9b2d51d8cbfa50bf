import Basics

extension Message {
  /// - Parameter random: nil if the client's hello was not captured.
  static func noKey(for random: HelloRandom?) -> Message {
    guard let random else {
      return
        "no key fits, and the client's hello, which would name it, was not captured: give the key log of "
        + "this connection with --keys"
    }
    return
      "no key for client random \(Hex.string(random.bytes)): give the key log that has it, or the session of "
      + "openssl s_client, with --keys"
  }

  static func unsupportedSuite(_ name: String) -> Message {
    "cipher suite \(name) is not supported: decrypt the stream with another program"
  }

  static func handshakeNotCaptured(of sender: String) -> Message {
    "the \(sender)'s part of the handshake was not captured, and no key log of TLS 1.3 fits: "
      + "captures that begin before the connection can be decrypted"
  }

  init(_ error: PrivateKey.ReadError, hasPassphrase: Bool) {
    self =
      switch error {
      case .noKey: "has no private key in PEM (PKCS#1, PKCS#8) or PKCS#12"
      case .passphrase:
        hasPassphrase
          ? "the passphrase of --passphrase-file is wrong" : "needs a passphrase: give --passphrase-file"
      case .legacy:
        "the encryption of the PKCS#12 file is too old for this OpenSSL: convert it with openssl "
          + "pkcs12 -legacy -nodes"
      case .notRSA: "the private key is not RSA: only RSA key exchange can be decrypted with a private key"
      }
  }

  /// What a hello proves of a connection on a port of the old services; nil if it may be one of them.
  static func otherService(_ hello: ClientHello) -> Message? {
    let name = hello.serverName ?? ""
    if name.hasPrefix("api-manage-broadcast.") {
      return "TLS to Apple's channel management (\(name.cutForReports)): not decoded"
    }
    let isOld = hello.namesService || name.hasPrefix("gateway.") || name.hasPrefix("feedback.")
    return hello.offersHTTP2 && !isOld
      ? "TLS with HTTP/2, which the old services do not speak: not decoded" : nil
  }

  /// Of a stream that ends before any record was encrypted, or that brought none to prove a key with.
  static func noPlaintext(after alert: TLSAlert?) -> Message {
    guard let alert, alert.level == 2 else { return "only a handshake was captured: there is no plaintext" }
    return "the handshake failed: the \(alert.isFromClient ? "client" : "server") sent alert "
      + "\(alert.code), and there is no plaintext"
  }
}

extension String {
  private static let maxLength = 1000

  /// A text of the handshake, which may be of any length, for reports.
  var cutForReports: String { utf8.count <= Self.maxLength ? self : prefix(Self.maxLength / 4) + "…" }
}
