import APNsWire
import TestSupport
import Testing

@Suite("Sets of token lengths") struct TokenLengthsTests {
  @Test(
    "what reads as a set",
    arguments: Fixtures.rows("sets of token lengths", in: "token-texts") as [(String, [UInt16], String)])
  func valid(_ text: String, _ lengths: [UInt16], _ written: String) throws {
    let set = try #require(TokenLengths(text))
    #expect((UInt16.min...UInt16.max).filter(set.contains) == lengths)
    #expect(set.longest == Int(lengths.max() ?? 0) && set.shortest == Int(lengths.min() ?? 0))
    #expect(set.only == (lengths.count == 1 ? lengths.first : nil))
    #expect(set.text == written)
    #expect(TokenLengths(set.text) == set)
  }

  @Test(
    "what does not",
    arguments: Fixtures.rows("no sets of token lengths", in: "token-texts") as [String])
  func invalid(_ text: String) { #expect(TokenLengths(text) == nil) }

  @Test("a set needs a length, and the whole range is one") func extremes() {
    #expect(TokenLengths([]) == nil)
    let all = TokenLengths([0...65_535])
    #expect(all?.text == "0-65535")
    #expect(all?.longest == 65_535)
    #expect(TokenLengths.standard == TokenLengths("32"))
  }

  @Test("rules refuse times in the wrong order and lengths above 65,535") func rules() throws {
    #expect(FeedbackRules(earliest: 2, latest: 1) == nil)
    #expect(FeedbackRules(earliest: 2, latest: 2) != nil)
    #expect(FeedbackRules(longestToken: -1) == nil)
    #expect(FeedbackRules(longestToken: 65_536) == nil)
    #expect(FeedbackRules(longestToken: 65_535)?.longestToken == 65_535)
    #expect(FeedbackRules(longestToken: 5)?.longestToken == 32)
    #expect(FeedbackRules() == .standard)
    #expect(FeedbackRules.standard.earliest == 1_245_196_800)
    #expect(FeedbackRules.standard.latest == 1_619_740_800)
  }
}
