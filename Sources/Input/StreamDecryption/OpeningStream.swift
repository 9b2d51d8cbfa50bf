import PacketCapture
import TLSDecryption
import WireBytes

/// A stream whose first bytes decide whether it is TLS. Until then it is held.
final class OpeningStream {
  enum Verdict: Equatable {
    case undecided, other
    case tls(client: Side)
  }

  /// What waits for the decision.
  struct Item {
    enum Content {
      case bytes([UInt8], origins: [SourceExtent])
      case gap(StreamGap)
    }

    var side: Side
    var content: Content
  }

  /// Bytes of a direction whose beginning is missing that are searched for two records in a row: two of the longest
  /// records, and their headers.
  private static let searchLength = 2 * (5 + (1 << 14) + 2048) + 5

  let identity: StreamIdentity
  private(set) var items: [Item] = []
  private(set) var bytes = 0
  private var isFirstMidstream = false
  private var isSecondMidstream = false

  init(_ identity: StreamIdentity) { self.identity = identity }

  // MARK: - Input

  func note(_ anomaly: StreamAnomaly) {
    if anomaly.kind == .midstreamStart, let side = anomaly.side { setMidstream(side) }
  }

  func hold(_ gap: StreamGap, from side: Side) {
    items.append(Item(side: side, content: .gap(gap)))
    if head(of: side).isEmpty { setMidstream(side) }
  }

  func hold(_ bytes: RawSpan, origins: [SourceExtent], from side: Side) {
    self.bytes += bytes.byteCount
    items.append(Item(side: side, content: .bytes(bytes.withUnsafeBytes { Array($0) }, origins: origins)))
  }

  private func setMidstream(_ side: Side) {
    if side == .first { isFirstMidstream = true } else { isSecondMidstream = true }
  }

  private func isMidstream(_ side: Side) -> Bool { side == .first ? isFirstMidstream : isSecondMidstream }

  /// The first bytes of a side, up to a gap.
  private func head(of side: Side) -> [UInt8] {
    var head: [UInt8] = []
    for item in items where item.side == side {
      switch item.content {
      case .bytes(let bytes, _): head += bytes
      case .gap: if !head.isEmpty { return head }
      }
    }
    return head
  }

  // MARK: - The decision

  /// By the bytes that are held.
  func verdict(from side: Side) -> Verdict {
    let head = head(of: side)
    return verdict(on: head.span.bytes, from: side)
  }

  func verdict(on head: RawSpan, from side: Side) -> Verdict {
    guard head.byteCount >= TLSConnection.openingLength else { return .undecided }
    return head.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { head in
        if let sender = TLSConnection.sender(of: head.prefix(TLSConnection.openingLength)) {
          return .tls(client: sender == .client ? side : side.other)
        }
        if TLSConnection.recordLength(head) != nil { return .tls(client: identity.server.other) }
        guard isMidstream(side) else { return .other }
        if Self.hasRecords(head) { return .tls(client: identity.server.other) }
        return head.count < Self.searchLength ? .undecided : .other
      }
    }
  }

  /// Whether two records follow one another somewhere.
  private static func hasRecords(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    func length(_ index: Int) -> Int? {
      TLSConnection.recordLength(UnsafeBufferPointer(rebasing: bytes[index...]))
    }
    return bytes.indices.contains { index in
      guard let first = length(index), index + first < bytes.count else { return false }
      return length(index + first) != nil
    }
  }
}
