import APNsPushes
import APNsWire
import Basics
import PacketCapture

/// A push, a broadcast or a request for channels, with provenance.
package struct PushRecord: BitwiseCopyable, Sendable {
  /// Its texts are ranges of the accompanying bytes.
  package var fields: PushFields
  /// The server if any frame of the response is known, else the client.
  package var direction: Direction
  /// Offset in its direction of the response's first byte, else of the request's: bytes from 0, with gaps.
  package var offset: Int
  /// Offset of that byte in the input (decompressed), and the packet that contains it.
  package var fileOffset: Int
  package var packet: PacketReference?
  /// Offset of the request's first byte in the client's direction, and its packet; nil for an unknown request
  /// and in a log.
  package var requestOffset: Int?
  package var requestPacket: Int?
  /// When the request was captured, or the line of a log was written.
  package var sentAt: CaptureTime?

  package var kind: ServiceRequest.Kind { fields.service.kind }

  /// When the answer was captured, or the line of a log was written; without an answer, when the request was captured.
  package var answeredAt: CaptureTime? {
    packet?.time ?? fields.loggedAt.map(CaptureTime.init(milliseconds:))
  }

  package init(
    _ fields: PushFields, direction: Direction, offset: Int, fileOffset: Int, packet: PacketReference?
  ) {
    (self.fields, self.direction, self.offset, self.fileOffset) = (fields, direction, offset, fileOffset)
    (self.packet, sentAt) = (packet, fields.loggedAt.map(CaptureTime.init(milliseconds:)))
  }

  /// Nil without a frame.
  init?(_ fields: PushFields, request: FrameOrigin?, response: FrameOrigin?) {
    guard let origin = response ?? request else { return nil }
    self.init(
      fields, direction: response == nil ? .client : .server, offset: origin.offset,
      fileOffset: origin.fileOffset, packet: origin.packet)
    (requestOffset, requestPacket, sentAt) = (request?.offset, request?.packet?.number, request?.packet?.time)
  }
}

/// Pushes, or others of one kind, of one stream, in the order in which their responses ended.
package typealias PushRecords = StreamRecords<PushRecord>

/// Records of one kind of one stream.
package struct StreamRecords<Record: Sendable>: Sendable {
  package var labels: StreamLabels
  package var records: ArraySlice<Record>

  package init(labels: StreamLabels, records: ArraySlice<Record>) {
    (self.labels, self.records) = (labels, records)
  }
}
