import APNsWire
import Analysis
import Basics
import PacketCapture

/// A push of a test.
package struct SamplePush: Sendable {
  package var token: [UInt8]?
  package var status: UInt16?
  package var reason: String?
  /// Milliseconds since 1970.
  package var timestamp: Int64?
  package var topic: String?
  package var flags: PushFlags = []
  /// The capture time of the response; nil without one.
  package var capturedAt: CaptureTime?
  package var line: Int?

  package init(_ token: [UInt8]?, _ status: UInt16?, _ change: (inout SamplePush) -> Void = { _ in }) {
    (self.token, self.status) = (token, status)
    change(&self)
  }

  /// With status 410.
  package static func invalidated(_ token: [UInt8], at timestamp: Int64, topic: String? = nil) -> SamplePush {
    SamplePush(token, 410) { push in
      push.reason = "Unregistered"
      (push.timestamp, push.topic) = (timestamp, topic)
    }
  }
}

extension EvidenceSink {
  /// Passes pushes of one stream to the sink.
  package func add(_ pushes: [SamplePush], source: String = "a.pcap", stream: Int = 0) throws {
    var bytes: [UInt8] = [0]
    func add(_ text: [UInt8]?) -> Range<Int>? {
      guard let text else { return nil }
      bytes += text
      return bytes.count - text.count..<bytes.count
    }
    let records = pushes.enumerated().map { number, push in
      var fields = PushFields()
      fields[.token] = add(push.token)
      fields[.reason] = add(push.reason.map { Array($0.utf8) })
      fields[.topic] = add(push.topic.map { Array($0.utf8) })
      (fields.status, fields.timestamp) = (push.status, push.timestamp)
      (fields.flags, fields.line) = (push.flags, push.line)
      let packet = push.capturedAt.map { PacketReference(number: number + 1, time: $0) }
      return PushRecord(
        fields, direction: .server, offset: 100 * number, fileOffset: 100 * number, packet: packet)
    }
    let labels = StreamLabels(source: source, stream: stream)
    try self.pushes(PushRecords(labels: labels, records: records[...]), in: bytes.span.bytes)
  }
}
