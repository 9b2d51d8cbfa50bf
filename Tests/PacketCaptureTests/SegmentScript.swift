import Basics
import PacketCapture
import StreamTestSupport

/// One segment of a test: its sender, its position, and its payload.
struct ScriptedSegment {
  var isFromServer = false
  var sequence: UInt32
  var flags: TCPSegment.Flags = .ack
  var payload: [UInt8] = []
  var missing = 0
  var clientPort: UInt16 = 40_000
  var window = UInt16.max
  /// In milliseconds since 1970; nil where the capture has no times.
  var time: Int?

  static func client(
    _ sequence: UInt32, _ text: String = "", _ flags: TCPSegment.Flags = .ack, missing: Int = 0,
    port: UInt16 = 40_000
  ) -> ScriptedSegment {
    ScriptedSegment(
      sequence: sequence, flags: flags, payload: Array(text.utf8), missing: missing, clientPort: port)
  }

  static func server(
    _ sequence: UInt32, _ text: String = "", _ flags: TCPSegment.Flags = .ack, port: UInt16 = 40_000,
    window: UInt16 = .max
  ) -> ScriptedSegment {
    ScriptedSegment(
      isFromServer: true, sequence: sequence, flags: flags, payload: Array(text.utf8), clientPort: port,
      window: window)
  }

  func at(_ time: Int) -> ScriptedSegment {
    var copy = self
    copy.time = time
    return copy
  }
}

extension CaptureOptions {
  /// The defaults, changed.
  static func with(_ change: (inout CaptureOptions) -> Void) -> CaptureOptions {
    var options = CaptureOptions()
    change(&options)
    return options
  }
}

/// Runs segments through a reassembler, one per packet, numbered from 1. The file consists of their payloads, one
/// after another.
/// - Parameters:
///   - kept: how many of its last bytes can be read again; nil where it has ended.
///   - reserved: the number of slots that are not used.
func reassemble(
  _ script: [ScriptedSegment], options: CaptureOptions = CaptureOptions(), kept: Int? = .max,
  reserved: Int = 0
) -> StreamRecording {
  let playback = play(script, to: StreamRecording(), options: options, kept: kept, reserved: reserved)
  var recording = playback.recorder
  recording.misuse += playback.misuse
  return recording
}

func play<Recorder: StreamRecorder>(
  _ script: [ScriptedSegment], to recorder: Recorder, options: CaptureOptions = CaptureOptions(),
  kept: Int? = .max, reserved: Int = 0
) -> Playback<Recorder> {
  var reassembler = Reassembler(options: options, reservedSlots: reserved)
  var playback = Playback(recorder)
  let history = CaptureHistory(capacity: min(kept ?? 0, script.reduce(0) { $0 + $1.payload.count }))
  reassembler.use(kept == nil ? nil : history)
  var batch = EventBatch()
  var fileOffset = 0
  for (index, step) in script.enumerated() {
    let time = step.time.map {
      CaptureTime(seconds: Int64($0 / 1000), fraction: UInt64($0 % 1000), digits: 3)
    }
    let payload = step.payload
    payload.withUnsafeBytes { history.append($0) }
    reassembler.segment(
      step.segment, in: payload.span.bytes, fileOffset: fileOffset,
      packet: PacketReference(number: index + 1, time: time))
    fileOffset += payload.count
    reassembler.packetRead()
    reassembler.swapEvents(with: &batch)
    playback.play(batch, window: payload.span.bytes)
    batch.removeAll()
  }
  var isFinished = false
  while !isFinished {
    isFinished = reassembler.finish()
    reassembler.swapEvents(with: &batch)
    playback.play(batch, window: RawSpan())
    batch.removeAll()
  }
  return playback
}

extension ScriptedSegment {
  var segment: TCPSegment {
    let client = Endpoint(address: IPAddress(v4: 0x0a00_0001), port: clientPort)
    let server = Endpoint(address: IPAddress(v4: 0x0a00_0002), port: 2196)
    return TCPSegment(
      source: isFromServer ? server : client, destination: isFromServer ? client : server,
      sequence: SequenceNumber(sequence), flags: flags, window: window, payloadLength: payload.count,
      missingLength: missing)
  }
}
