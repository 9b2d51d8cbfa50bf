import Basics

/// Files of keys for TLS: options use them, and they are no inputs.
enum KeyFiles {
  /// What a file that begins with `head` is, and the option for it. Text among which keys are quoted is none.
  static func kind(of head: [UInt8]) -> Message? {
    if isPKCS12(head) { return "a key in PKCS#12: --rsa-key uses it if it is RSA" }
    guard !head.contains(where: { $0 < 0x20 && ![9, 10, 13].contains($0) }) else { return nil }
    let lines = head.split { $0 == 10 || $0 == 13 }.map { $0.drop { ASCII.isWhiteSpace($0) } }
    guard let first = lines.first(where: { !$0.isEmpty && $0.first != UInt8(ascii: "#") }) else { return nil }
    func begins(_ line: ArraySlice<UInt8>, _ starts: String...) -> Bool {
      starts.contains { line.starts(with: $0.utf8) }
    }
    if begins(first, "-----BEGIN SSL SESSION PARAMETERS")
      || begins(first, "CONNECTED(", "SSL-Session:") && lines.contains(where: { begins($0, "Master-Key:") })
    {
      return "a session of TLS, as openssl s_client writes it: --keys uses it"
    }
    if begins(first, "-----BEGIN ", "Bag Attributes"),
      lines.contains(where: {
        begins($0, "-----BEGIN ") && $0.suffix(16).elementsEqual("PRIVATE KEY-----".utf8)
      })
    {
      return "a private key: --rsa-key uses it if it is RSA"
    }
    return isSecret(first) ? "a key log of TLS: --keys uses it" : nil
  }

  /// A line of a key log: a label, the random number of a client, and a secret; or a session and its secret.
  private static func isSecret(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count == 3 else { return false }
    if words[0].elementsEqual("RSA".utf8) { return true }
    return words[1].count == 64 && words[0].allSatisfy { (0x30...0x5f).contains($0) }
      && (words[1] + words[2]).allSatisfy { TextAlphabet.hex[Int($0)] < 16 }
  }

  /// A sequence that begins with the number 3 and another sequence (RFC 7292, section 4).
  private static func isPKCS12(_ head: [UInt8]) -> Bool {
    guard head.count > 16, head[0] == 0x30, head[1] >= 0x80 else { return false }
    return head[2...].dropFirst(Int(head[1] & 0x0f)).starts(with: [2, 1, 3, 0x30])
  }
}
