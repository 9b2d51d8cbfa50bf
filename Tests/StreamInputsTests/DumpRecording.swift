import Basics
import PacketCapture
import StreamInputs
import StreamTestSupport
import TestSupport

/// The stream of a dump, byte by byte, regardless of how the bytes were divided into events.
struct DumpRecording: StreamRecorder {
  /// Bytes of the stream in order, with their offsets in the file.
  private(set) var bytes: [UInt8] = []
  private(set) var fileOffsets: [Int] = []
  /// Gaps as `offset+length@fileOffset`.
  private(set) var gaps: [String] = []
  private(set) var isClosed = false
  /// Violations of the source's contract.
  var misuse: [String] = []
  private var end = 0

  mutating func opened(_ stream: StreamIdentity) {
    if stream.number != 0 { misuse.append("opened as \(stream.number)") }
  }

  mutating func bytes(_ chunk: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
    if direction != .dump { misuse.append("bytes of \(direction)") }
    if isClosed || chunk.byteCount == 0 { misuse.append("an empty chunk, or after the end") }
    if origins.first?.streamOffset != end {
      misuse.append("origins begin at \(origins.first?.streamOffset ?? -1)")
    }
    if zip(origins, origins.dropFirst()).contains(where: { $0.streamOffset >= $1.streamOffset }) {
      misuse.append("origins are out of order at \(end)")
    }
    for index in 0..<chunk.byteCount {
      guard let origin = origins.last(where: { $0.streamOffset <= end + index }) else { continue }
      bytes.append(chunk.byte(at: index))
      fileOffsets.append(origin.fileOffset(of: end + index))
    }
    end += chunk.byteCount
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {
    if gap.offset != end || direction != .dump { misuse.append("a gap at \(gap.offset) after \(end)") }
    gaps.append("\(gap.offset)+\(gap.length)@\(gap.fileOffset.map(String.init) ?? "-")")
    end = gap.offset + gap.length
  }

  mutating func finding(_ finding: StreamFinding) { misuse.append("\(finding)") }

  mutating func closed(_ report: StreamReport) { isClosed = true }

  /// Reads `file` as a dump of `format`, nil to recognise it.
  static func of(
    _ file: [UInt8], as format: DumpFormat?, probes: [FormatProbe] = []
  ) throws -> (recording: DumpRecording, report: InputReport) {
    let files = TemporaryFiles()
    return try of(Input(try files.write(file)), as: format, probes: probes)
  }

  static func of(
    _ input: Input, as format: DumpFormat?, probes: [FormatProbe] = []
  ) throws -> (recording: DumpRecording, report: InputReport) {
    var options = ReadingOptions()
    options.format = format.map { .dump($0) }
    var playback = Playback(DumpRecording())
    var reader = try InputReader(options: options, contentProbes: probes) {
      playback.play($0, window: $0.window.span.bytes)
    }
    let report = try reader.read(input, progress: { _ in })
    playback.recorder.misuse += playback.misuse
    return (playback.recorder, report)
  }
}
