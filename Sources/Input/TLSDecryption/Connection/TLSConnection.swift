import PacketCapture

/// One connection: ciphertext of both directions with its origins in, events of plaintext out (`DecryptionContext.output`). Offsets of events are of the
/// plaintext, their packets and file offsets are of the ciphertext.
///
/// The bytes of a direction come in their order, gaps with their lengths; those of the two directions in any order, though
/// a direction that needs the other one's handshake waits for it, within `DecryptionOptions.waitLimit`.
package final class TLSConnection {
  private let state: ConnectionState
  package let service: TLSService?
  // A direction gets the other one's messages through `state` alone.
  @exclusivity(unchecked) private var first: DirectionReader
  @exclusivity(unchecked) private var second: DirectionReader

  /// - Parameter starts: the offsets at which TLS begins in the directions.
  package init(
    _ context: DecryptionContext, slot: Int32 = 0, client: Side, starts: (first: Int, second: Int) = (0, 0),
    service: TLSService? = nil
  ) {
    state = ConnectionState(context, slot: slot, client: client)
    self.service = service
    first = DirectionReader(.first, from: starts.first, state)
    second = DirectionReader(.second, from: starts.second, state)
  }

  private subscript(side: Side) -> DirectionReader {
    _read { if side == .first { yield first } else { yield second } }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  package func append(_ bytes: RawSpan, origins: Span<SourceExtent>, from side: Side) {
    let before = origins.isEmpty ? 0 : max(0, self[side].start - origins[0].streamOffset)
    guard before < bytes.byteCount else { return }
    self[side].note(bytes.byteCount - before, origins)
    bytes.extracting(before...).withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { bytes in
        var rest = bytes
        while !rest.isEmpty {
          let used = self[side].append(rest)
          rest = UnsafeBufferPointer(rebasing: rest[used...])
          retry()
        }
      }
    }
    self[side].forgetOrigins()
  }

  package func gap(_ gap: StreamGap, from side: Side) {
    // Offsets stay far below the largest integer.
    let length = min(gap.length, 1 << 48)
    guard length > 0, gap.offset >= self[side].start else { return }
    self[side].gap(length)
    retry()
    self[side].forgetOrigins()
  }

  /// Neither direction has more bytes.
  package func finish() {
    // The first one may bring what the second one waits for, and the second one what the first one could use.
    first.isFinal = true
    second.isFinal = true
    retry()
    for side in [state.client.other, state.client] { self[side].finish() }
    for side in Side.allCases { self[side].addRest() }
  }

  private func retry() {
    let client = state.client
    while self[client].retry() || self[client.other].retry() {}
  }

  /// Moves a finding about packets to the next byte of plaintext: where its bytes are in the ciphertext, its packet
  /// and file offset say.
  func move(_ finding: inout StreamFinding) {
    if let side = finding.side, finding.offset != nil { finding.offset = self[side].plaintextOffset }
  }

  /// Offset of the direction's first byte that is still kept: whatever is before it gives no more records.
  package func keptOffset(of side: Side) -> Int { self[side].bufferOffset }

  /// Whether nothing more of the direction can be decrypted. A finding said why.
  package func isUnreadable(_ side: Side) -> Bool { self[side].isUnreadable }

  package var stops: [DecryptionStop] { state.stops }

  /// The first of the secrets that proved records, by file and line; nil as long as none did.
  package var secret: SecretOrigin? { state.secret }

  package var encryption: StreamEncryption {
    var encryption = state.encryption
    for side in Side.allCases { encryption[side] = self[side].encryption }
    return encryption
  }

  /// The finding of a connection that could not be decrypted to its end, or not at all.
  /// - Parameter number: of the stream.
  func finding(_ number: Int) -> StreamFinding? {
    let stop = stops.first
    // No ciphertext follows the missing key: nothing is lost.
    if secret != nil, stop.map({ self[$0.side].end <= $0.offset }) ?? true { return nil }
    let reason = stop?.message ?? .noPlaintext(after: state.alert)
    var finding = StreamFinding(.decryptionFailed, stream: number, message: reason)
    finding.isOfExpected = service == .expected
    if secret == nil, case .other(let other) = service {
      (finding.code, finding.message) = (.unrelatedTLS, "\(other); \(reason)")
    }
    if let stop {
      finding.side = stop.side
      finding.offset = self[stop.side].plaintextOffset
      finding.length = max(0, self[stop.side].end - stop.offset)
      finding.fileOffset = stop.origin?.fileOffset(of: stop.offset)
      finding.packet = stop.origin?.packet
    }
    return finding
  }
}
