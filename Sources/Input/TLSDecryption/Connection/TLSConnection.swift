/// One connection: ciphertext of both directions in, plaintext out.
///
/// The bytes of a direction come in their order, gaps with their lengths; those of the two directions in any order, though
/// a direction that needs the other one's handshake waits for it, within `DecryptionOptions.waitLimit`.
package final class TLSConnection {
  private let state: ConnectionState
  // A direction gets the other one's messages through `state` alone.
  @exclusivity(unchecked) private var client: DirectionReader
  @exclusivity(unchecked) private var server: DirectionReader

  package init(_ context: DecryptionContext) {
    state = ConnectionState(context)
    client = DirectionReader(.client, state)
    server = DirectionReader(.server, state)
  }

  /// The facts of the connection so far.
  package var session: TLSSession { state.session }

  /// Offset of the direction's first byte that is still kept: whatever is before it gives no more records.
  package func keptOffset(of sender: Sender) -> Int {
    sender == .client ? client.bufferOffset : server.bufferOffset
  }

  /// Whether nothing more of the direction can be decrypted. A failure said why.
  package func isUnreadable(_ sender: Sender) -> Bool {
    sender == .client ? client.isUnreadable : server.isUnreadable
  }

  /// TLS begins at `offset` of the direction: before any of its bytes comes.
  package func begin(at offset: Int, from sender: Sender) {
    if sender == .client { client.begin(at: offset) } else { server.begin(at: offset) }
  }

  package func append(_ bytes: RawSpan, from sender: Sender, into output: inout DecryptedBatch) {
    bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { bytes in
        var rest = bytes
        while !rest.isEmpty {
          let used =
            sender == .client ? client.append(rest, into: &output) : server.append(rest, into: &output)
          rest = UnsafeBufferPointer(rebasing: rest[used...])
          retry(into: &output)
        }
      }
    }
  }

  /// The next `length` bytes of the direction are missing.
  package func gap(_ length: Int, from sender: Sender, into output: inout DecryptedBatch) {
    // Offsets stay far below the largest integer.
    let length = min(length, 1 << 48)
    guard length > 0 else { return }
    if sender == .client {
      client.gap(length, into: &output)
    } else {
      server.gap(length, into: &output)
    }
    retry(into: &output)
  }

  /// Neither direction has more bytes.
  package func finish(into output: inout DecryptedBatch) {
    // The first one may bring what the second one waits for, and the second one what the first one could use.
    client.isFinal = true
    server.isFinal = true
    retry(into: &output)
    server.finish(into: &output)
    client.finish(into: &output)
  }

  private func retry(into output: inout DecryptedBatch) {
    while client.retry(into: &output) || server.retry(into: &output) {}
  }

  /// The bytes that `sender(of:)` and `recordLength(_:)` need.
  package static let openingLength = 6

  /// Bytes of the record that begins so, its header included; nil where none does.
  package static func recordLength(_ opening: UnsafeBufferPointer<UInt8>) -> Int? {
    guard opening.count >= RecordHeader.length, let start = opening.baseAddress else { return nil }
    return RecordHeader(start, version: nil)?.recordLength
  }

  /// Who sends a direction that begins so; nil where it is no handshake of TLS.
  package static func sender(of opening: some Collection<UInt8>) -> Sender? {
    let bytes = Array(opening.prefix(6))
    guard bytes.count == 6 else { return nil }
    if bytes[0] == RecordHeader.Content.handshake, bytes[1] == 3, bytes[2] <= 4 {
      return bytes[5] == 1 ? .client : bytes[5] == 2 ? .server : nil
    }
    return bytes[0] & 0x80 != 0 && bytes[2] == 1 && bytes[3] == 3 ? .client : nil
  }

  /// The bytes that `hello(_:)` needs.
  package static let helloLength = 11

  /// Who sends the hello that begins so; nil where none does. It is strict enough for a search in other bytes.
  package static func hello(_ opening: ArraySlice<UInt8>) -> Sender? {
    let bytes = Array(opening.prefix(helloLength))
    guard bytes.count == helloLength, let sender = sender(of: bytes) else { return nil }
    if bytes[0] == RecordHeader.Content.handshake {
      return bytes[2] <= 3 && bytes[6] == 0 && bytes[9] == 3 && bytes[10] <= 3 ? sender : nil
    }
    // SSL 2.0: its three lengths add up.
    let length = 9 + [5, 7, 9].reduce(0) { $0 + (Int(bytes[$1]) << 8 | Int(bytes[$1 + 1])) }
    return Int(bytes[0] & 0x7f) << 8 | Int(bytes[1]) == length && bytes[4] <= 3 ? sender : nil
  }
}

extension ClientHello {
  /// - Parameter opening: the direction's first bytes, from its first record on. Nil unless that has a whole hello.
  package init?(opening: ArraySlice<UInt8>) {
    guard let length = opening.withUnsafeBufferPointer(TLSConnection.recordLength) else {
      self.init(ssl2: opening.dropFirst(2))
      return
    }
    guard opening.count >= length, opening.dropFirst(RecordHeader.length).first == 1 else { return nil }
    self.init(opening.prefix(length).dropFirst(RecordHeader.length + 4))
  }
}
