import Generator
import Testing

@Suite("The generator's random numbers")
struct GeneratorNumbersTests {
  @Test("SplitMix64, as its authors' reference implementation has it for the seed 1234567")
  func reference() {
    var numbers = RandomNumbers(state: 1_234_567)
    let first = (0..<5).map { _ in numbers.next() }
    #expect(
      first == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test("numbers are in their range, and all numbers of a small range occur", arguments: [1, 2, 7, 1000])
  func ranges(_ limit: Int) {
    var numbers = RandomNumbers(state: 1)
    var seen = Set<Int>()
    for _ in 0..<limit * 20 { seen.insert(numbers.within(5...4 + limit)) }
    #expect(seen == Set(5..<5 + limit))
    #expect(numbers.below(0) == 0 && numbers.below(1) == 0)
  }

  @Test("the frequency is about the requested one per 1000", arguments: [0, 10, 500, 1000])
  func odds(_ perMille: Int) {
    var numbers = RandomNumbers(state: 2)
    let count = (0..<100_000).count { _ in numbers.happens(perMille) }
    #expect(abs(count - perMille * 100) < 1000)
    #expect(perMille % 1000 != 0 || count == perMille * 100)
  }
}
