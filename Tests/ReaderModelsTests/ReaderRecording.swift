import ReaderModels
import TestSupport

/// The records of a reader as `time,token`, with offset and error.
struct ReaderRecording: RecordReceiver {
  var said: [String] = []
  var offsets: [Int] = []
  var errors: [ReaderError] = []
  var ending: ReaderEnding = .completed

  mutating func receive(_ emission: Emission, token: RawSpan) {
    said.append("\(emission.time),\(TestHex.text(token.withUnsafeBytes { Array($0) }))")
    offsets.append(emission.offset)
    errors.append(emission.error)
  }

  static func of(_ model: FeedbackModel, _ bytes: [UInt8], cut chunking: Chunking = .standard) -> Self {
    var recording = ReaderRecording()
    recording.ending = model.read(bytes.span.bytes, cut: chunking, into: &recording)
    return recording
  }
}

/// `time,token` where the token is these bytes.
func record(_ time: Int64, _ token: [UInt8]) -> String { "\(time),\(TestHex.text(token))" }

func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
