import Basics
import PacketCapture
import TLSDecryption

extension Side {
  static let client = Side.first
  static let server = Side.second
}

/// What came of a connection, whose first side is the client.
struct Decrypted: Equatable {
  struct Gap: Equatable {
    var side: Side
    var gap: StreamGap
  }

  struct CommandError: Equatable {
    var side: Side
    var message: Message
    var offset: Int
  }

  var plaintext: [Side: [UInt8]] = [.client: [], .server: []]
  var records: [Side: [[UInt8]]] = [.client: [], .server: []]
  var offsets: [Side: [Int]] = [.client: [], .server: []]
  var gaps: [Gap] = []
  var failures: [CommandError] = []
  var encryption = StreamEncryption()
  var secret: SecretOrigin?
  /// Offsets in the ciphertext of the first byte of data, and after the last one.
  private var firstData: [Side: Int] = [:]
  private var lastData: [Side: Int] = [:]

  /// Bytes from the first byte of data to the end of the last one.
  func dataLength(of side: Side) -> Int? {
    guard let first = firstData[side], let last = lastData[side] else { return nil }
    return last - first
  }

  mutating func take(_ batch: EventBatch) {
    for event in batch.events {
      switch event {
      case .bytes(let event):
        guard case .chunk(let chunk) = event.storage else { continue }
        let bytes = Array(batch.chunks[Int(chunk)][event.start..<event.start + event.count])
        let origin = batch.origins[Int(event.firstOrigin)]
        if firstData[event.side] == nil { firstData[event.side] = origin.fileOffset }
        lastData[event.side] = origin.fileOffset + event.count
        plaintext[event.side, default: []] += bytes
        records[event.side, default: []].append(bytes)
        offsets[event.side, default: []].append(event.offset)
      case .gap(_, let side, let index): gaps.append(Gap(side: side, gap: batch.gaps[Int(index)]))
      default: break
      }
    }
  }
}

/// A connection in a file in which each direction's bytes are at their offsets.
final class Decryption {
  let connection: TLSConnection
  private(set) var offsets: [Side: Int] = [:]
  private let output: DecryptedEvents

  init(_ context: DecryptionContext, beginsBatch: Bool = true) {
    connection = TLSConnection(context, client: .client)
    output = context.output
    if beginsBatch { output.begin(EventBatch()) }
  }

  func append(_ bytes: some Collection<UInt8>, from side: Side) {
    let offset = offsets[side, default: 0]
    let origins = [SourceExtent(streamOffset: offset, fileOffset: offset, stride: 1)]
    connection.append(Array(bytes).span.bytes, origins: origins.span, from: side)
    offsets[side] = offset + bytes.count
  }

  func gap(_ length: Int, from side: Side) {
    let gap = StreamGap(offset: offsets[side, default: 0], length: length, fileOffset: nil)
    connection.gap(gap, from: side)
    offsets[side] = gap.offset + length
  }

  func finish() -> Decrypted {
    connection.finish()
    var result = Decrypted()
    result.take(output.finish())
    result.failures = connection.stops.map {
      Decrypted.CommandError(side: $0.side, message: $0.message, offset: $0.offset)
    }
    (result.encryption, result.secret) = (connection.encryption, connection.secret)
    return result
  }
}
