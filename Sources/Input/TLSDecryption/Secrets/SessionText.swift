/// The text that `openssl s_client` prints of a session, as people paste it:
/// ```
///     Session-ID: 7F3A…
///     Session-ID-ctx:
///     Master-Key: 09C1…
/// ```
struct SessionText {
  private var session: [UInt8] = []
  private var isText = false

  /// Marks of the output that are found nowhere else.
  private static let marks: [StaticString] = [
    "CONNECTED(", "SSL-Session:", "Session-ID-ctx:", "SSL handshake has read", "Server certificate", "---",
  ]

  mutating func read(
    _ text: ArraySlice<UInt8>, at origin: SecretOrigin, to store: inout SecretStore
  ) -> KeyLineResult {
    if let value = value(of: "Session-ID:", in: text) {
      session = KeyLogLine.hex(value).flatMap { $0.count <= 32 ? $0 : nil } ?? []
      isText = true
      return .ignored
    }
    if let value = value(of: "Master-Key:", in: text) {
      isText = true
      defer { session = [] }
      // TLS 1.3 has none, and says so by an empty value.
      if value.isEmpty { return .ignored }
      guard let master = KeyLogLine.hex(value), master.count == 48 else { return .malformed }
      store.add(master: master, session: session, at: origin)
      return .added
    }
    if Self.marks.contains(where: { mark in mark.withUTF8Buffer { text.starts(with: $0) } }) { isText = true }
    return isText ? .ignored : .other
  }

  private func value(of name: StaticString, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard name.withUTF8Buffer({ text.starts(with: $0) }) else { return nil }
    let value = text.dropFirst(name.utf8CodeUnitCount).drop { $0 == UInt8(ascii: " ") }
    let end = value.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return end.map { value[...$0] } ?? []
  }
}
