/// The columns of a feedback record (interface.md, "export").
package enum FeedbackColumn: String, CaseIterable, Sendable {
  case source, stream, direction, client, server, offset, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case timestamp, time
  case tokenLength = "token_length"
  case token, flags

  /// The columns of CSV where none are named.
  package static let standard: [FeedbackColumn] = [
    .source, .stream, .offset, .packet, .capturedAt, .timestamp, .time, .tokenLength, .token, .flags,
  ]
}
