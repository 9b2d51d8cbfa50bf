import Basics

extension Message {
  init(_ failure: DecryptionFailure) {
    self =
      switch failure.reason {
      case .noKey(let random): .noKey(forClientRandom: random.map { Hex.string($0.bytes) })
      case .trialLimit(let random):
        "\(Message.noKey(forClientRandom: random.map { Hex.string($0.bytes) })) (secrets that name no connection "
          + "were tried \(DecryptionOptions().namelessTrialLimit) times, and not on this one: leave other secrets out)"
      case .handshakeNotCaptured(let sender): .handshakeNotCaptured(of: sender.name)
      case .handshakeIncomplete: .handshakeIncomplete
      case .unsupportedSuite(let name): .unsupportedSuite(name)
      case .unsupportedVersion(let version):
        "\(version) is not supported: decrypt the stream with another program"
      case .compressed(let method):
        "records are compressed (method \(Int(method))), which is not supported: decrypt the stream "
          + "with another program"
      case .wrongMAC: .wrongMAC(of: failure.sender.name, from: failure.offset)
      }
  }

  init(_ fault: PrivateKey.Fault, hasPassphrase: Bool) {
    self =
      switch fault {
      case .noKey: "has no private key in PEM (PKCS#1, PKCS#8) or PKCS#12"
      case .passphrase: hasPassphrase ? .wrongPassphrase : "needs a passphrase: give --passphrase-file"
      case .legacy:
        "the encryption of the PKCS#12 file is too old for this OpenSSL: convert it with openssl pkcs12 -legacy -nodes"
      case .notRSA: "the private key is not RSA: only RSA key exchange can be decrypted with a private key"
      }
  }

  /// What a hello proves of a connection on a port of the old services; nil if it may be one of them.
  static func otherService(_ hello: ClientHello) -> Message? {
    let name = hello.serverName ?? ""
    if name.hasPrefix("api-manage-broadcast.") {
      return "TLS to Apple's channel management (\(name.cutForReports)): not decoded"
    }
    let isOld = name.hasPrefix("gateway.") || name.hasPrefix("feedback.")
    return hello.offersHTTP2 && !isOld
      ? "TLS with HTTP/2, which the old services do not speak: not decoded" : nil
  }

  /// Of a stream that ends before any record was encrypted, or that brought none to prove a key with.
  static func noPlaintext(after alert: TLSAlert?) -> Message {
    guard let alert, alert.level == 2 else { return "only a handshake was captured: there is no plaintext" }
    return .handshakeFailed(alert: Int(alert.code), from: alert.sender.name)
  }
}

extension Sender {
  fileprivate var name: String { self == .client ? "client" : "server" }
}

extension String {
  private static let maxLength = 1000

  /// A text of the handshake, which may be of any length, for reports.
  var cutForReports: String {
    utf8.count <= Self.maxLength ? self : prefix(Self.maxLength / 4) + "…"
  }
}
