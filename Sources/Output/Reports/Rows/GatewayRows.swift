import APNsWire
import Analysis
import Basics

/// The columns of a gateway request (docs/spec/interface.md#export), in their order.
package enum RequestColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, length, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case capturedAtLocal = "captured_at_local"
  case command, identifier, expiry, priority
  case tokenLength = "token_length"
  case token
  case payloadLength = "payload_length"
  case payload
  case payloadHex = "payload_hex"
  case items, outcome
  case outcomeStatus = "outcome_status"
  case flags
  case streamOffset = "stream_offset"
}

/// The columns of an error response, in their order.
package enum ResponseColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case capturedAtLocal = "captured_at_local"
  case status
  case statusText = "status_text"
  case identifier
  case requestOffset = "request_offset"
  case token, flags
  case streamOffset = "stream_offset"
}

/// Writes requests as rows.
struct RequestRowWriter {
  let frame: RowFrame<RequestColumn>
  let letterCase: Hex.LetterCase
  /// For local times; nil without them.
  let clock: LocalClock?
  /// Upper bound of the output per byte of a request, over all columns: hex, an escape, or a number of items.
  private static let growth = 8

  /// - Parameter bytes: contain the request.
  func write(
    _ request: RequestRecord, labels: StreamLabels, in bytes: RawSpan, to output: OutputBuffer
  ) throws {
    let fields = RequestFields(request.range, in: bytes)
    // A payload that is valid JSON is valid UTF-8.
    let payloadIsText =
      !request.flags.contains(.payloadNotJSON)
      || fields.payload.map { UTF8Text.isValid($0, in: bytes) } ?? true
    let texts = Self.growth * request.range.count + RowCursor.bound(labels.source) + RowCursor.flagsBound
    try frame.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(labels.source)
      case .stream: row.put(labels.stream)
      case .direction: row.put(word: "client")
      case .offset, .streamOffset: row.put(request.offset)
      case .length: row.put(request.range.count)
      case .packet: row.put(request.packet?.number)
      case .originalPacket: row.put(request.packet?.original)
      case .fileOffset: row.put(request.fileOffset)
      case .capturedAt: row.put(request.packet?.time)
      case .capturedAtLocal: row.put(request.packet?.time, in: clock)
      case .command: row.put(Int(fields.command))
      case .identifier: row.put(fields.identifier.map(Int.init))
      case .expiry: row.put(fields.expiry.map(Int.init))
      case .priority: row.put(fields.priority.map(Int.init))
      case .tokenLength: row.put(fields.token?.count)
      case .token: put(hexOf: fields.token, in: bytes, letterCase, to: &row)
      case .payloadLength: row.put(fields.payload?.count)
      case .payload: put(textOf: payloadIsText ? fields.payload : nil, in: bytes, to: &row)
      case .payloadHex: put(hexOf: payloadIsText ? nil : fields.payload, in: bytes, .lower, to: &row)
      case .items: put(fields.items, in: bytes, to: &row)
      case .outcome: row.put(word: Self.word(request.outcome))
      case .outcomeStatus: row.put(request.status.map(Int.init))
      case .flags: row.put(request.flags)
      }
    }
  }

  private static func word(_ outcome: RequestOutcome) -> StaticString {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .discarded: "discarded"
    case .unknown: "unknown"
    }
  }

  private func put(
    hexOf range: Range<Int>?, in bytes: RawSpan, _ letterCase: Hex.LetterCase, to row: inout RowCursor
  ) {
    guard let range else { return row.putNothing() }
    row.put(hexOf: range, in: bytes, letterCase: letterCase)
  }

  private func put(textOf range: Range<Int>?, in bytes: RawSpan, to row: inout RowCursor) {
    guard let range else { return row.putNothing() }
    bytes.extracting(range).withUnsafeBytes { row.put(text: $0) }
  }

  /// The item ids in wire order.
  private func put(_ items: RequestItems?, in bytes: RawSpan, to row: inout RowCursor) {
    guard var items else { return row.putNothing() }
    row.beginList()
    var isFirst = true
    while let item = items.next(in: bytes) {
      row.beginElement(isFirst: isFirst)
      isFirst = false
      row.put(Int(item.id))
    }
    row.endList()
  }
}

/// Writes responses as rows.
struct ResponseRowWriter {
  let frame: RowFrame<ResponseColumn>
  let letterCase: Hex.LetterCase
  /// For local times; nil without them.
  let clock: LocalClock?

  func write(_ response: ResponseRecord, to output: OutputBuffer) throws {
    let token = response.request?.token
    let texts =
      RowCursor.bound(response.labels.source) + RowCursor.flagsBound + 2 * (token?.count ?? 0)
      + RowCursor.bound(64)
    try frame.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(response.labels.source)
      case .stream: row.put(response.labels.stream)
      case .direction: row.put(word: "server")
      case .offset, .streamOffset: row.put(response.offset)
      case .packet: row.put(response.packet?.number)
      case .originalPacket: row.put(response.packet?.original)
      case .fileOffset: row.put(response.fileOffset)
      case .capturedAt: row.put(response.packet?.time)
      case .capturedAtLocal: row.put(response.packet?.time, in: clock)
      case .status: row.put(Int(response.response.status))
      case .statusText: row.put(ErrorStatus(rawValue: response.response.status)?.text)
      case .identifier: row.put(Int(response.response.identifier))
      case .requestOffset: row.put(response.request?.offset)
      case .token:
        if let token {
          row.put(hexOf: token.indices, in: token.span.bytes, letterCase: letterCase)
        } else {
          row.putNothing()
        }
      case .flags: row.put(response.flags)
      }
    }
  }
}
