import Basics
import PacketCapture
import StreamInputs
import TestSupport

/// Texts with the bytes of a stream, and bytes of any kind with records in them.
extension Target {
  static let texts = [
    Target("texts", checkText),
    Target("exports", checkExport),
    Target("carve", checkCarving),
    Target("search", checkSearch),
  ]

  /// Bytes that the `*` lines of a text may expand to.
  private static let maxExpansion = 1 << 12

  private static func checkText(_ sample: Sample) {
    if sample.options[0] & 0x80 != 0 { return checkDump(sample) }
    let text = sample.bytes
    let format = TextFormat.allCases[Int(sample.options[0] & 3)]
    let whole = format.decode(text, maxExpansion: maxExpansion, blockSize: sample.lengths(.whole))
    expect(
      whole.bytes.count <= text.count + maxExpansion, "\(whole.bytes.count) bytes of \(text.count) characters"
    )
    expect(whole.positions.allSatisfy(text.indices.contains), "a byte is at a character of the text")
    expect(whole.gaps.allSatisfy { $0 > 0 }, "a gap has bytes")
    for chunking in sample.chunkings().dropFirst() {
      let cut = format.decode(text, maxExpansion: maxExpansion, blockSize: sample.lengths(chunking))
      expectSame(cut.events, whole.events, "a text does not depend on blocks, in chunks: \(chunking)")
    }
    _ = TextFormat.recognised(text)
  }

  /// A dump, with the marks that tshark leaves where bytes are missing.
  private static func checkDump(_ sample: Sample) {
    let formats = DumpFormat.allCases
    let format = formats[Int(sample.options[0] >> 2) % formats.count]
    var whole = SourceEvents()
    for chunking in sample.chunkings() {
      var source = DumpSource(
        format, side: .first, head: sample.bytes, isWhole: true, maxExpansion: maxExpansion)
      var laws = StreamLaws(content: sample.bytes, isRaw: format == .raw)
      laws.opened(.dump)
      _ = play(sample.bytes, through: &source, more: sample.lengths(chunking)) { laws.take($0) }
      laws.closed(StreamReport(.dump))
      let events = SourceEvents(streams: laws.events, errors: source.errors)
      if chunking == .whole { whole = events }
      expectSame([events], [whole], "a dump does not depend on windows, in chunks: \(chunking)")
    }
  }

  private static func checkExport(_ sample: Sample) {
    let formats = ExportFormat.allCases
    let format = formats[Int(sample.options[0] & 0x0f) % formats.count]
    let ports: Set<UInt16> = sample.options[0] & 0x80 == 0 ? [] : [2195, 2196]
    var whole = SourceEvents()
    for chunking in sample.chunkings() {
      var source = ExportSource(format, serverPorts: ports)
      var found = events(of: sample.bytes, isRaw: false, &source, more: sample.lengths(chunking))
      found.errors += source.errors
      if chunking == .whole { whole = found }
      expectSame([found], [whole], "an export does not depend on blocks, in chunks: \(chunking)")
    }
  }

  private static func checkCarving(_ sample: Sample) {
    var options = CarvingOptions()
    // Of chains of one, text that is both hex and base64 may be either, depending on windows (docs/reliability.md#fuzzing).
    options.minChain = Int(sample.options[0] & 3) + 2
    var capture = CaptureOptions.small
    capture.serverPorts = [2195, 2196]
    var whole = SourceEvents()
    for chunking in sample.chunkings(besides: [.short, .long]) {
      var source = CarveSource(options, capture: capture)
      let events = events(of: sample.bytes, isRaw: false, &source, more: sample.lengths(chunking))
      if chunking == .whole { whole = events }
      expectSame([events], [whole], "what is carved does not depend on windows, in chunks: \(chunking)")
    }
  }

  /// A token, and prefixes of it, of whole bytes or not.
  private static let searched = SearchedTokens(
    [8, 9, 64].compactMap { count in
      let digits = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"
      return try? SearchedToken(digits.prefix(count).utf8)
    })

  /// Never changed.
  nonisolated(unsafe) private static let matcher = TokenMatcher(searched)

  private static func checkSearch(_ sample: Sample) {
    var whole: [SearchHit] = []
    for chunking in sample.chunkings() {
      var hits: [SearchHit] = []
      let search = StreamSearch(matcher, bufferLength: chunking == .whole ? 1 << 16 : 0) { hits += $0 }
      let length = sample.lengths(chunking)
      var rest = sample.bytes[...]
      while !rest.isEmpty {
        let count = min(rest.count, length())
        rest.prefix(count).withUnsafeBytes { search.append($0) }
        rest = rest.dropFirst(count)
      }
      search.finish()
      hits.sort { ($0.offset, $0.token, $0.length) < ($1.offset, $1.token, $1.length) }
      if chunking == .whole { whole = hits }
      expectSame(hits, whole, "what is found does not depend on blocks, in chunks: \(chunking)")
    }
    let digits = TestHex.text(sample.bytes)
    let text = String(decoding: sample.bytes.map { $0 < 0x80 ? $0 : 0 }, as: UTF8.self).lowercased()
    for index in 0..<searched.count {
      let token = searched.text(index).digits
      func offsets(_ spelling: TokenSpelling) -> [Int] {
        whole.filter { $0.token == index && $0.spelling == spelling }.map(\.offset)
      }
      expectSame(offsets(.bytes), plainOffsets(of: token, in: digits, every: 2), "all bytes are found")
      expectSame(offsets(.hex), plainOffsets(of: token, in: text, every: 1), "all hex is found")
    }
  }

  /// Where `text` has the digits, counted in `width` characters.
  private static func plainOffsets(of digits: String, in text: String, every width: Int) -> [Int] {
    let (text, digits) = (Array(text.utf8), Array(digits.utf8))
    return stride(from: 0, to: text.count, by: width).filter { text[$0...].starts(with: digits) }
      .map { $0 / width }
  }
}

extension StreamLaws {
  /// The events of a source whose streams its caller opens and closes.
  fileprivate mutating func take(_ batch: EventBatch) {
    for event in batch.events {
      switch event {
      case .bytes(let event):
        let origins = Array(
          batch.origins[Int(event.firstOrigin)..<Int(event.firstOrigin + event.originCount)])
        let range = event.start..<event.start + event.count
        let buffer =
          switch event.storage {
          case .window: batch.window
          case .chunk(let index): batch.chunks[Int(index)]
          }
        bytes(buffer.span.bytes.extracting(range), of: .dump, origins: origins)
      case .gap(_, _, let gap): self.gap(batch.gaps[Int(gap)], in: .dump)
      case .finding(_, let finding): self.finding(batch.findings[Int(finding)])
      case .opened, .closed, .secrets, .uncertain: fail("a dump opens no stream")
      }
    }
  }
}
