import APNsWire
import Testing

@Suite("Limits of requests, and flags of all records")
struct RequestRulesTests {
  @Test(
    "limits that no length field can say are refused",
    arguments: [(-1, 0), (0, -1), (65_536, 0), (0, 65_536), (Int.max, Int.max), (Int.min, Int.min)])
  func refused(_ longestToken: Int, _ longestPayload: Int) {
    #expect(RequestRules(longestToken: longestToken, longestPayload: longestPayload) == nil)
  }

  @Test(
    "the longest token is the limit or the longest allowed one, and the largest request is of either kind")
  func limits() throws {
    #expect(RequestRules() == .standard)
    #expect(RequestRules.standard.longestToken == 100 && RequestRules.standard.longestPayload == 4096)
    #expect(try #require(RequestRules(longestToken: 0)).longestToken == 32)
    let largest = try #require(RequestRules(longestToken: 65_535, longestPayload: 65_535))
    // Command 1: 11 bytes, the token, 2 bytes, the payload.
    #expect(largest.holdBack == 2 * (11 + 65_535 + 2 + 65_535) + 13 + 65_535)
    // Command 2: 5 bytes, and 65,535 of items.
    #expect(try #require(RequestRules(longestToken: 0, longestPayload: 0)).holdBack == 2 * 65_540 + 13 + 32)
  }

  @Test("flags are listed in the order of their codes, which is that of their bits")
  func codes() {
    let codes = RecordFlags.all.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == codes.count)
    #expect(RecordFlags.all.map(\.flag.rawValue) == codes.indices.map { UInt32(1) << UInt32($0) })
    #expect(RecordFlags(RecordFlags.all.map(\.flag)).codes == codes)
    #expect(RecordFlags().codes.isEmpty)
  }
}
