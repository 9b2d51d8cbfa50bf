import APNsWire
import Analysis
import Basics

/// The columns of a push (docs/spec/interface.md#export), in their order.
package enum PushColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case capturedAtLocal = "captured_at_local"
  case line
  case http2Stream = "http2_stream"
  case requestOffset = "request_offset"
  case requestPacket = "request_packet"
  case tokenLength = "token_length"
  case token
  case tokenText = "token_text"
  case topic
  case pushType = "push_type"
  case apnsID = "apns_id"
  case uniqueID = "apns_unique_id"
  case priority, expiration
  case collapseID = "collapse_id"
  case payloadLength = "payload_length"
  case payload, status, reason
  case timestampMS = "timestamp_ms"
  case timestamp, time
  case timeLocal = "time_local"
  case outcome, flags
  case streamOffset = "stream_offset"
  case tokenKind = "token_kind"

  /// The default columns in CSV: all but the payload, which may be personal data.
  package static let standard = all(nil).filter { $0 != .payload }
}

/// Writes pushes as rows.
struct PushRowWriter {
  let frame: RowFrame<PushColumn>
  let letterCase: Hex.LetterCase
  /// For local times; nil without them.
  let clock: LocalClock?

  /// - Parameter bytes: the texts of the push.
  func write(_ push: PushRecord, labels: StreamLabels, in bytes: RawSpan, to output: OutputBuffer) throws {
    let fields = push.fields
    var texts = RowCursor.bound(labels.source) &+ RowCursor.flagsBound
    for text in PushFields.Text.allCases { texts &+= RowCursor.bound(fields[text]?.count ?? 0) }
    try frame.write(to: output, texts: texts) { column, row in
      func put(_ text: PushFields.Text) {
        guard let range = fields[text] else { return row.putNothing() }
        bytes.extracting(range).withUnsafeBytes { row.put(text: $0) }
      }
      switch column {
      case .source: row.put(labels.source)
      case .stream: row.put(labels.stream)
      case .direction: row.put(word: push.direction == .server ? "server" : "client")
      case .offset, .streamOffset: row.put(push.offset)
      case .packet: row.put(push.packet?.number)
      case .originalPacket: row.put(push.packet?.original)
      case .fileOffset: row.put(push.fileOffset)
      case .capturedAt: row.put(push.packet?.time)
      case .capturedAtLocal: row.put(push.packet?.time, in: clock)
      case .line: row.put(fields.line)
      case .http2Stream: row.put(fields.http2Stream.map(Int.init))
      case .requestOffset: row.put(push.requestOffset)
      case .requestPacket: row.put(push.requestPacket)
      case .tokenLength: row.put(fields[.token]?.count)
      case .token:
        if let range = fields[.token] {
          row.put(hexOf: range, in: bytes, letterCase: letterCase)
        } else {
          row.putNothing()
        }
      case .tokenKind: row.put(fields.tokenKind(in: bytes)?.rawValue)
      case .tokenText: put(.tokenText)
      case .topic: put(.topic)
      case .pushType: put(.pushType)
      case .apnsID: put(.apnsID)
      case .uniqueID: put(.uniqueID)
      case .priority: row.put(fields.priority.map(Int.init))
      case .expiration: row.put(fields.expiration.map { Int(clamping: $0) })
      case .collapseID: put(.collapseID)
      case .payloadLength: row.put(fields.payloadLength)
      case .payload: put(.payload)
      case .status: row.put(fields.status.map(Int.init))
      case .reason: put(.reason)
      case .timestampMS: row.put(fields.timestamp.map { Int(clamping: $0) })
      case .timestamp: row.put(fields.timestamp.map { Int(clamping: $0 / 1000) })
      case .time: row.put(fields.time)
      case .timeLocal: row.put(fields.time, in: clock)
      case .outcome: row.put(word: Self.word(fields.outcome))
      case .flags: row.put(fields.flags)
      }
    }
  }

  private static func word(_ outcome: PushOutcome) -> StaticString {
    switch outcome {
    case .accepted: "accepted"
    case .invalidated: "invalidated"
    case .rejected: "rejected"
    case .unknown: "unknown"
    }
  }
}

extension PushFields {
  /// The time of an invalidation.
  var time: CaptureTime? {
    timestamp.map { CaptureTime(seconds: $0 / 1000, fraction: UInt64(clamping: $0 % 1000), digits: 3) }
  }
}
