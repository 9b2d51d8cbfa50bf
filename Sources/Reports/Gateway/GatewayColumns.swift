/// The columns of a gateway request (interface.md, "export"), in their order.
package enum RequestColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, length, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case command, identifier, expiry, priority
  case tokenLength = "token_length"
  case token
  case payloadLength = "payload_length"
  case payload
  case payloadHex = "payload_hex"
  case items, outcome
  case outcomeStatus = "outcome_status"
  case flags
}

/// The columns of an error response, in their order.
package enum ResponseColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case status
  case statusText = "status_text"
  case identifier
  case requestOffset = "request_offset"
  case token, flags
}
