import Messages
import TLSDecryption
import WireBytes

extension Message {
  init(_ failure: DecryptionFailure) {
    self =
      switch failure.reason {
      case .noKey(let random): .noKey(forClientRandom: random.map { Hex.string($0.bytes) })
      case .handshakeNotCaptured(let sender): .handshakeNotCaptured(of: sender.name)
      case .handshakeIncomplete: .handshakeIncomplete
      case .unsupportedSuite(let name): .unsupportedSuite(name)
      case .unsupportedVersion(let version): .unsupportedTLS("\(version)")
      case .compressed(let method): .compressedRecords(method: Int(method))
      case .wrongMAC: .wrongMAC(of: failure.sender.name, from: failure.offset)
      }
  }

  init(_ fault: PrivateKey.Fault, hasPassphrase: Bool) {
    self =
      switch fault {
      case .noKey: .noPrivateKey
      case .passphrase: hasPassphrase ? .wrongPassphrase : .needsPassphrase
      case .notRSA: .privateKeyNotRSA
      }
  }

  /// Of a stream that ends before any record was encrypted, or that brought none to prove a key with.
  static func noPlaintext(after alert: TLSAlert?) -> Message {
    guard let alert, alert.level == 2 else { return .onlyHandshake }
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
