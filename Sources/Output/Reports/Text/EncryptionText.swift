import Basics
import PacketCapture

/// A stream's TLS connection in one line.
package enum EncryptionText {
  /// `TLS 1.2, TLS_RSA_WITH_AES_128_CBC_SHA, decrypted with keys.log line 3, server CN=…, client UID=…`.
  package static func of(_ encryption: StreamEncryption) -> String {
    var parts = [encryption.version ?? "TLS", encryption.cipher].compactMap { $0 }
    if let file = encryption.keyFile {
      parts.append("decrypted with \(file)" + (encryption.keyLine.map { " line \($0)" } ?? ""))
    } else {
      parts.append("not decrypted")
    }
    let named: [(String, String?)] = [
      ("name", encryption.serverName), ("protocol", encryption.applicationProtocol),
      ("server", encryption.serverSubject), ("client", encryption.clientSubject),
    ]
    for (name, value) in named { if let value { parts.append("\(name) \(value)") } }
    return VisibleText.of(parts.joined(separator: ", "))
  }
}
