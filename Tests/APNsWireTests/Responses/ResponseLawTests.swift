import APNsWire
import TestSupport
import Testing

@Suite("Laws of the response decoder, on damaged streams")
struct ResponseLawTests {
  @Test("it says the same for all chunk sizes", arguments: [1, 2, 3, 4] as [UInt64])
  func chunks(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for number in 0..<2000 {
      let bytes = DamagedResponses.next(&generator)
      let beginsStream = !generator.chance(3)
      let offset = generator.pick([0, 0, 1, 4_294_967_295, 1 << 40])
      let error = Chunking.error(&generator, everySize: number % 25 == 0) {
        WatchedDecoding(responses: bytes, offset: offset, beginsStream: beginsStream, chunkLength: $0)
      }
      try #require(error == nil, "stream \(number) of \(bytes.count) bytes: \(error ?? "")")
    }
  }

  @Test("the streams give every step")
  func variety() {
    var generator = SeededGenerator(seed: 79)
    var shown: Set<String> = []
    for _ in 0..<500 {
      let bytes = DamagedResponses.next(&generator)
      let beginsStream = generator.chance(2)
      for found in WatchedDecoding(responses: bytes, beginsStream: beginsStream, chunkLength: { 7 }).evidence
      {
        shown.formUnion(found.description.split(separator: " ").map(String.init).filter { Int($0) == nil })
      }
    }
    #expect(
      shown.isSuperset(of: [
        "response", "undecodable", "skipped", "truncated", "resynchronised", "unknown-status",
      ]))
  }

  @Test("decode(encode(x)) = x, for every status and drawn identifiers")
  func roundTrip() {
    var generator = SeededGenerator(seed: 80)
    var bytes: [UInt8] = []
    var expected: [Evidence] = []
    for status in UInt8.min...UInt8.max {
      let identifier = generator.pick([0, UInt32.max, UInt32.random(in: 0 ... .max, using: &generator)])
      expected.append(
        .response(
          offset: bytes.count, status: Int(status), identifier: Int(identifier),
          flags: DecodingRuleTests.knownStatuses.contains(status) ? [] : ["unknown-status"]))
      ResponseEncoder.append(ErrorResponse(status: status, identifier: identifier), to: &bytes)
    }
    #expect(Array(bytes[6..<8]) == [8, 1] && bytes.count == 6 * 256)
    for size in Array(1...40) + [bytes.count] { WatchedDecoding(responses: bytes) { size }.expect(expected) }
  }

  @Test("a response is returned as soon as it is complete; a search needs the seventh byte")
  func holdBack() {
    let sound = (0..<100).flatMap { _ in [8, 8, 0, 0, 0, 1] as [UInt8] }
    #expect(WatchedDecoding(responses: sound) { 1 }.mostCarried == 5)
    let noise = [UInt8](repeating: 0xff, count: 10_000)
    #expect(WatchedDecoding(responses: noise) { 1 }.mostCarried == 6)
  }
}
