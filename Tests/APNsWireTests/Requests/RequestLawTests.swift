import APNsWire
import TestSupport
import Testing

@Suite("Laws of the request decoder, on damaged streams")
struct RequestLawTests {
  @Test("it says the same, however the run is cut", arguments: RequestLimits.variety.indices)
  func chunks(_ index: Int) throws { try cut(streams: 100, index) }

  /// Of `scripts/test --soak`.
  @Test("the same of many more streams", arguments: RequestLimits.variety.indices)
  func manyStreams(_ index: Int) throws { try cut(streams: 600, index) }

  /// - Parameter streams: for each set of limits; ten times as much for the defaults.
  private func cut(streams: Int, _ index: Int) throws {
    let (name, limits) = RequestLimits.variety[index]
    let rules = try #require(limits.rules)
    var source = DamagedRequests(seed: UInt64(index), limits)
    for number in 0..<(index == 0 ? 10 * streams : streams) {
      let bytes = source.next()
      let beginsStream = !source.generator.chance(3)
      let offset = source.generator.pick([0, 0, 1, 4_294_967_295, 1 << 40])
      let error = Chunking.error(&source.generator, everySize: number % 25 == 0) {
        WatchedDecoding(
          requests: bytes, rules: rules, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
      try #require(error == nil, "\(name), stream \(number) of \(bytes.count) bytes: \(error ?? "")")
    }
  }

  @Test("the streams give every step and every flag")
  func variety() {
    var source = DamagedRequests(seed: 77)
    var flags: Set<String> = []
    var kinds: Set<String> = []
    for _ in 0..<2000 {
      let bytes = source.next()
      let beginsStream = source.generator.chance(2)
      for found in WatchedDecoding(requests: bytes, beginsStream: beginsStream, chunkLength: { 700 }).evidence
      {
        kinds.insert(String(found.description.prefix { $0 != " " }))
        if case .request(_, _, _, let codes) = found { flags.formUnion(codes) }
      }
    }
    #expect(kinds == ["request", "undecodable", "skipped", "truncated"])
    #expect(
      flags == [
        "malformed-items", "payload-not-json", "payload-too-large", "resynchronised", "unconfirmed-boundary",
        "unexpected-token-length", "unknown-item", "unusual-priority", "zero-filled-token",
        "zero-length-token",
      ])
  }

  @Test("encoding a decoded request gives the same bytes, unless the items do not fill the frame")
  func readAndWritten() {
    var source = DamagedRequests(seed: 78)
    var written = 0
    for _ in 0..<2000 {
      let bytes = source.next()
      let evidence = WatchedDecoding(requests: bytes) { 700 }.evidence
      for case .request(let start, let length, let content, let flags) in evidence {
        let original = Array(bytes[start..<start + length])
        let request = GatewayRequest(start..<start + length, in: bytes.span.bytes)
        let listed = content.items?.reduce(5) { $0 + 3 + $1.data.count } ?? length
        guard let request, listed == length else {
          #expect(request == nil && listed < length && flags.contains("malformed-items"))
          continue
        }
        var again: [UInt8] = []
        #expect(RequestEncoder.append(request, to: &again))
        #expect(again == original)
        written += 1
      }
    }
    #expect(written > 5000 && !RequestItems(0..<1).isAtEnd)
  }
}
