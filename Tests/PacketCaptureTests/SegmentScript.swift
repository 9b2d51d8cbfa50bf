import PacketCapture
import TestSupport
import WireBytes

/// One segment of a test: who sent it, where it lies, and what it carries.
struct ScriptedSegment {
  var isFromServer = false
  var sequence: UInt32
  var flags: TCPSegment.Flags = .ack
  var payload: [UInt8] = []
  var missing = 0
  var clientPort: UInt16 = 40_000
  /// In milliseconds since 1970; nil where the capture has no times.
  var time: Int?

  /// The same segment in a packet of that time, in milliseconds.
  func at(_ time: Int) -> ScriptedSegment {
    var copy = self
    copy.time = time
    return copy
  }

  static func client(
    _ sequence: UInt32, _ text: String = "", _ flags: TCPSegment.Flags = .ack, missing: Int = 0,
    port: UInt16 = 40_000
  ) -> ScriptedSegment {
    ScriptedSegment(
      sequence: sequence, flags: flags, payload: Array(text.utf8), missing: missing, clientPort: port)
  }

  static func server(
    _ sequence: UInt32, _ text: String = "", _ flags: TCPSegment.Flags = .ack, port: UInt16 = 40_000
  ) -> ScriptedSegment {
    ScriptedSegment(
      isFromServer: true, sequence: sequence, flags: flags, payload: Array(text.utf8), clientPort: port)
  }
}

/// The file that scripted packets lie in: their payloads, one after another.
struct ScriptedFile: CaptureMemory {
  var bytes: [UInt8] = []
  var isForgetful = false

  mutating func reread(_ range: Range<Int>, into buffer: inout [UInt8]) -> Bool {
    if isForgetful || range.upperBound > bytes.count { return false }
    buffer = Array(bytes[range])
    return true
  }
}

/// Runs segments through a reassembler, one a packet, numbered from 1.
func reassemble(
  _ script: [ScriptedSegment], options: CaptureOptions = CaptureOptions(), isForgetful: Bool = false
) throws -> StreamRecording {
  var reassembler = Reassembler(options: options)
  var recording = StreamRecording()
  var file = ScriptedFile(isForgetful: isForgetful)
  for (index, step) in script.enumerated() {
    let client = Endpoint(address: IPAddress(v4: 0x0a00_0001), port: step.clientPort)
    let server = Endpoint(address: IPAddress(v4: 0x0a00_0002), port: 2196)
    let segment = TCPSegment(
      source: step.isFromServer ? server : client, destination: step.isFromServer ? client : server,
      sequence: SequenceNumber(step.sequence), flags: step.flags, payloadLength: step.payload.count,
      missingLength: step.missing)
    let time = step.time.map {
      CaptureTime(seconds: Int64($0 / 1000), fraction: UInt64($0 % 1000), digits: 3)
    }
    let packet = PacketReference(number: index + 1, time: time)
    let stretches = [
      PayloadStretch(range: 0..<step.payload.count, fileOffset: file.bytes.count, packet: packet)
    ]
    file.bytes += step.payload
    let payload = step.payload
    try reassembler.segment(
      segment, payload: payload.span.bytes, stretches: stretches.span, packet: packet, memory: &file,
      to: &recording)
    try reassembler.packetRead(to: &recording)
  }
  try reassembler.finish(to: &recording)
  return recording
}
