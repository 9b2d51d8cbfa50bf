import APNsWire
import Basics

/// The outcome of a request (docs/spec/decoding-rules.md#correlation).
package enum RequestOutcome: String, CaseIterable, Sendable {
  case accepted, rejected, discarded
  /// No response decides it; the absence of a response proves nothing.
  case unknown
}

/// A request with provenance.
package struct RequestRecord: Sendable {
  /// Its ranges are indices of the accompanying bytes.
  package var fields: RequestFields
  package var range: Range<Int> { fields.range }
  /// Offset of the first byte in the client's direction, from 0, gaps included.
  package var offset: Int
  /// Offset of that byte in the input (decompressed), and the packet that contains it.
  package var fileOffset: Int
  package var packet: PacketReference?
  package var flags: RecordFlags
  package var outcome: RequestOutcome
  /// The status of the response that rejected the request; nil for other outcomes.
  package var status: UInt8?

  package init(
    fields: RequestFields, offset: Int, fileOffset: Int, packet: PacketReference?, flags: RecordFlags,
    outcome: RequestOutcome, status: UInt8?
  ) {
    (self.fields, self.offset, self.fileOffset, self.packet) = (fields, offset, fileOffset, packet)
    (self.flags, self.outcome, self.status) = (flags, outcome, status)
  }
}

/// Requests of one stream in the order of their offsets, all from the client.
package typealias RequestRecords = StreamRecords<RequestRecord>

/// An error response with provenance, and the request that it names. All are from the server.
package struct ResponseRecord: Sendable {
  package struct Request: Sendable {
    /// Offset of the first byte in the client's direction.
    package var offset: Int
    /// Nil if the request has no token, or if its bytes were not kept.
    package var token: [UInt8]?
    package var flags: RecordFlags

    package init(offset: Int, token: [UInt8]?, flags: RecordFlags) {
      (self.offset, self.token, self.flags) = (offset, token, flags)
    }
  }

  package var labels: StreamLabels
  /// Offset of the first byte in the server's direction, from 0, gaps included.
  package var offset: Int
  /// Offset of that byte in the input (decompressed), and the packet that contains it.
  package var fileOffset: Int
  package var packet: PacketReference?
  package var response: ErrorResponse
  /// Nil if no request is found (flag `uncorrelated`).
  package var request: Request?
  package var flags: RecordFlags

  package init(
    labels: StreamLabels, offset: Int, fileOffset: Int, packet: PacketReference?, response: ErrorResponse,
    request: Request?, flags: RecordFlags
  ) {
    (self.labels, self.offset, self.fileOffset, self.packet) = (labels, offset, fileOffset, packet)
    (self.response, self.request, self.flags) = (response, request, flags)
  }
}

/// The number of requests by outcome, and of responses.
package struct GatewayCounts: Equatable, Sendable {
  package var accepted = 0
  package var rejected = 0
  package var discarded = 0
  package var unknown = 0
  package var responses = 0

  package var requests: Int { accepted &+ rejected &+ discarded &+ unknown }

  package subscript(outcome: RequestOutcome) -> Int {
    switch outcome {
    case .accepted: accepted
    case .rejected: rejected
    case .discarded: discarded
    case .unknown: unknown
    }
  }

  mutating func add(_ other: GatewayCounts) {
    accepted &+= other.accepted
    rejected &+= other.rejected
    discarded &+= other.discarded
    unknown &+= other.unknown
    responses &+= other.responses
  }
}
