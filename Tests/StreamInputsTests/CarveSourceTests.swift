import PacketCapture
import StreamInputs
import StreamTestSupport
import TestSupport
import Testing

/// Records planted in bytes of any kind, read through windows of any size.
@Suite("Search for records")
struct CarveSourceTests {
  /// What was found, a line each: `FILE-OFFSET,FORM,CHAIN-LENGTH,TIME AND TOKEN`.
  private struct Findings: StreamRecorder {
    var lines: [String] = []
    private var forms: [Int: Carving] = [:]
    /// Bytes of tuples that are not whole yet.
    private var rest: [Int: (fileOffset: Int, bytes: [UInt8])] = [:]

    mutating func opened(_ stream: StreamIdentity) { forms[stream.number] = stream.carving }

    mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: [SourceExtent]) {
      let first = origins.first?.streamOffset ?? 0
      var (fileOffset, tuple) = rest[direction.stream] ?? (0, [])
      for index in 0..<bytes.byteCount {
        if tuple.isEmpty {
          let origin = origins.last { $0.streamOffset <= first + index }
          fileOffset = origin?.fileOffset(of: first + index) ?? -1
        }
        tuple.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        if tuple.count == 38 {
          let carving = forms[direction.stream]
          lines.append(
            "\(fileOffset),\(carving?.form.rawValue ?? ""),\(carving?.chainLength ?? 1),\(tuple)")
          tuple = []
        }
      }
      rest[direction.stream] = (fileOffset, tuple)
    }

    mutating func gap(_ gap: StreamGap, in direction: StreamDirection) { lines.append("\(gap)") }
    mutating func finding(_ finding: StreamFinding) { lines.append("\(finding)") }
    mutating func closed(_ report: StreamReport) {}
  }

  /// - Parameter chainLength: nil for that of each row.
  private static func expected(_ planted: PlantedBytes, chainLength: Int? = nil) -> [String] {
    planted.rows.map {
      let length = chainLength ?? $0.chainLength
      return "\($0.fileOffset),\($0.form.rawValue),\(length),\(Tuples.of($0.token, time: $0.time))"
    }
  }

  /// Reads `bytes` through windows, the first of which has `first` bytes, and each later one `more()` more than needed.
  private func carved(_ bytes: [UInt8], first: Int, minChain: Int = 3, more: () -> Int) -> [String] {
    var options = CarvingOptions()
    options.minChain = minChain
    var capture = CaptureOptions()
    capture.serverPorts = [2195, 2196]
    var source = CarveSource(options, capture: capture)
    var playback = Playback(Findings())
    var batch = EventBatch()
    var (offset, start, end) = (0, 0, min(first, bytes.count))
    reading: while true {
      let window = Array(bytes[offset..<end])
      let step = source.read(
        window.span.bytes, from: start, windowOffset: offset, isLast: end == bytes.count, into: &batch)
      playback.play(batch, window: window.span.bytes)
      batch.removeAll()
      switch step {
      case .isFull(let consumed): start = consumed
      case .needsBytes(let consumed, let needed):
        #expect(end < bytes.count && needed > end - offset - consumed, "asks for what it has")
        offset += consumed
        start = 0
        end = min(bytes.count, max(end, offset + needed) + more())
        #expect(end - offset < 1 << 20 || first == .max, "the window grows with what was found")
      case .ended: break reading
      }
    }
    while !source.finish(into: &batch) {}
    playback.play(batch, window: [UInt8]().span.bytes)
    #expect(playback.misuse.isEmpty)
    return playback.recorder.lines
  }

  private func blob(_ seed: UInt64, chains: Int, forms: [PlantedBytes.Form]) -> PlantedBytes {
    var generator = SeededGenerator(seed: seed)
    var planted = PlantedBytes()
    for _ in 0..<chains {
      planted.fill(generator.pick(1...900), &generator)
      planted.plant(
        PlantedBytes.tuples(generator.pick(3...20), &generator), as: generator.pick(forms), &generator)
    }
    planted.fill(300, &generator)
    return planted
  }

  private static let encodings: [PlantedBytes.Form] = [.binary, .hex, .base64, .quotedPrintable]

  @Test(
    "every form is found, at its offset, whatever the windows are", arguments: 1...6 as ClosedRange<UInt64>)
  func forms(_ seed: UInt64) {
    let planted = blob(seed, chains: 60, forms: Self.encodings)
    var generator = SeededGenerator(seed: seed &+ 100)
    #expect(carved(planted.bytes, first: .max) { 0 } == Self.expected(planted))
    let chunks = carved(planted.bytes, first: 1) { generator.pick(0...700) }
    #expect(chunks == Self.expected(planted))
  }

  @Test("the end of the first window may be anywhere", arguments: encodings)
  func boundaries(_ form: PlantedBytes.Form) {
    let planted = blob(7, chains: 2, forms: [form])
    let expected = Self.expected(planted)
    for first in stride(from: 1, to: planted.bytes.count, by: 3) {
      #expect(carved(planted.bytes, first: first) { 100_000 } == expected, "\(first) bytes")
    }
  }

  @Test("tuples at the very start and end of the input, and directly after text", arguments: encodings)
  func ends(_ form: PlantedBytes.Form) {
    var generator = SeededGenerator(seed: 8)
    var planted = PlantedBytes()
    planted.plant(PlantedBytes.tuples(4, &generator), as: form, &generator)
    if form == .hex {
      planted.append(Array("\n".utf8))
      // Times that begin with an X, which may be a sign between digits.
      let late = PlantedBytes.tuples(3, &generator).map { (time: 0x58 << 24 | $0.time >> 8, token: $0.token) }
      planted.plant(late, as: .binary, &generator)
    }
    #expect(carved(planted.bytes, first: .max) { 0 } == Self.expected(planted))
  }

  @Test("a pair is found only on request; single tuples too", arguments: encodings)
  func shortChains(_ form: PlantedBytes.Form) {
    for length in 1...2 {
      var generator = SeededGenerator(seed: 9)
      var planted = PlantedBytes()
      for _ in 0..<10 {
        planted.fill(100, &generator)
        planted.plant(PlantedBytes.tuples(length, &generator), as: form, &generator)
      }
      planted.fill(100, &generator)
      #expect(carved(planted.bytes, first: .max) { 0 }.isEmpty)
      #expect(carved(planted.bytes, first: 1, minChain: length) { 50 } == Self.expected(planted))
    }
  }

  @Test(
    "a long chain is one stream, its length is counted up to 1000, and the window moves on",
    arguments: encodings)
  func longChains(_ form: PlantedBytes.Form) {
    var generator = SeededGenerator(seed: 10)
    var planted = PlantedBytes()
    planted.fill(1234, &generator)
    planted.plant(PlantedBytes.tuples(30_000, &generator), as: form, &generator)
    planted.fill(50, &generator)
    #expect(
      carved(planted.bytes, first: 1000) { 100_000 } == Self.expected(planted, chainLength: 1000))
  }

  @Test("tuples that do not touch are one chain, whatever the windows are", arguments: [1, 2, 5])
  func spacedChains(_ size: Int) {
    var generator = SeededGenerator(seed: 14)
    var planted = PlantedBytes()
    planted.fill(500, &generator)
    for read in 0..<40 {
      planted.append(Array("read \(read): ".utf8))
      planted.plant(PlantedBytes.tuples(size, &generator), as: .binary, &generator)
    }
    planted.fill(5000, &generator)
    let expected = Self.expected(planted, chainLength: 40 * size)
    #expect(carved(planted.bytes, first: .max) { 0 } == expected)
    #expect(carved(planted.bytes, first: 1) { generator.pick(0...700) } == expected)
  }

  @Test("lines with a token and a time in any of the usual forms")
  func logLines() {
    var generator = SeededGenerator(seed: 11)
    var planted = PlantedBytes()
    // 1399360089 is 2014-05-06T07:08:09Z, by date(1).
    for text in [
      "2014-05-06 07:08:09", "2014-05-06T07:08:09Z", "2014-05-06T09:08:09.123+02:00",
      "2014-05-06 02:08:09,5 -0500", "06/May/2014:07:08:09 +0000",
    ] {
      planted.plantLine(text, time: 1_399_360_089, token: generator.bytes(32))
    }
    let expected = Self.expected(planted)
    // Without a time, or with one that no tuple has, a token is none.
    planted.append(
      Array(
        "token <\(String(repeating: "1234abcd ", count: 7))567890ef>\n1990-01-01 00:00:00 <0a1b2c3d>\n".utf8))
    #expect(carved(planted.bytes, first: .max) { 0 } == expected)
    #expect(carved(planted.bytes, first: 1) { 64 } == expected)
  }

  @Test("floods of near misses find nothing, and end")
  func floods() {
    var generator = SeededGenerator(seed: 12)
    let header = Tuples.header(length: 32)
    let floods: [[UInt8]] = [
      [UInt8](repeating: UInt8(ascii: "0"), count: 300_000),
      [UInt8](repeating: UInt8(ascii: "A"), count: 300_000),
      (0..<50_000).flatMap { _ in header }, (0..<20_000).flatMap { _ in Array("=00 =00=20".utf8) },
      (0..<8000).flatMap { _ in [2, 0, 0, 0xff, 0xff, 1, 0, 32] + generator.bytes(32).map { $0 | 0x80 } },
      (0..<4000).flatMap { _ in Array("<12345678 12345678 12345678 12345678 12345678 12345678 1>".utf8) },
    ]
    for flood in floods { #expect(carved(flood, first: .max) { 0 }.isEmpty) }
  }
}
