import Basics
import PacketCapture
import StreamTestSupport

/// The streams of a source, each direction separately.
struct StreamRecording: StreamRecorder {
  struct Half: Equatable {
    /// Bytes in order; a gap of n bytes is `nil` n times.
    var bytes: [UInt8?] = []
    var gaps: [String] = []
    /// Each byte's packet and position in the file.
    var packets: [Int?] = []
    var fileOffsets: [Int] = []

    /// Bytes as text, gaps as `<n>`.
    var text: String {
      var text = ""
      var missing = 0
      for byte in bytes + [0] {
        if byte == nil {
          missing += 1
          continue
        }
        if missing > 0 { text += "<\(missing)>" }
        missing = 0
        if let byte { text += String(Character(Unicode.Scalar(byte))) }
      }
      return String(text.dropLast())
    }
  }

  private(set) var identities: [Int: StreamIdentity] = [:]
  private(set) var halves: [StreamDirection: Half] = [:]
  private(set) var findings: [StreamFinding] = []
  private(set) var reports: [StreamReport] = []
  /// Violations of the source's contract.
  var misuse: [String] = []

  mutating func opened(_ stream: StreamIdentity) {
    if identities[stream.number] != nil { misuse.append("stream \(stream.number) opened twice") }
    identities[stream.number] = stream
  }

  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
    check(direction)
    var half = halves[direction] ?? Half()
    if origins.first?.streamOffset != half.bytes.count {
      misuse.append("bytes at \(origins.first?.streamOffset ?? -1), not \(half.bytes.count)")
    }
    var position = 0
    for index in 0..<bytes.byteCount {
      while position + 1 < origins.count, origins[position + 1].streamOffset <= half.bytes.count {
        position += 1
      }
      half.packets.append(origins[position].packet?.number)
      half.fileOffsets.append(origins[position].fileOffset(of: half.bytes.count))
      half.bytes.append(bytes.byte(at: index))
    }
    halves[direction] = half
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) {
    check(direction)
    var half = halves[direction] ?? Half()
    if gap.length <= 0 || gap.offset != half.bytes.count { misuse.append("a gap at \(gap.offset)") }
    half.gaps.append("\(gap.offset)+\(gap.length)")
    for _ in 0..<gap.length {
      half.bytes.append(nil)
      half.packets.append(nil)
      half.fileOffsets.append(-1)
    }
    halves[direction] = half
  }

  mutating func finding(_ finding: StreamFinding) {
    if let stream = finding.stream, identities[stream] == nil { misuse.append("\(finding) of no stream") }
    findings.append(finding)
  }

  mutating func closed(_ report: StreamReport) {
    if reports.contains(where: { $0.identity.number == report.identity.number }) {
      misuse.append("stream \(report.identity.number) closed twice")
    }
    reports.append(report)
  }

  private mutating func check(_ direction: StreamDirection) {
    if identities[direction.stream] == nil { misuse.append("\(direction) not opened") }
    if reports.contains(where: { $0.identity.number == direction.stream }) {
      misuse.append("\(direction) continues after its end")
    }
  }

  func half(_ stream: Int = 0, _ side: Side = .first) -> Half {
    halves[StreamDirection(stream: stream, side: side)] ?? Half()
  }

  /// Anomalies as `kind offset+length`.
  var findingTexts: [String] {
    findings.map { finding in
      "\(finding.code) \(finding.offset.map(String.init) ?? "-")+\(finding.length.map(String.init) ?? "-")"
    }
  }
}
