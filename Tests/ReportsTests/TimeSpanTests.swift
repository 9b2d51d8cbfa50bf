import Basics
import Testing

@Suite("Durations") struct TimeSpanTests {
  @Test(
    "are in the two largest units",
    arguments: [
      (0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (41_500, "41 s 500 ms"), (3_600_000, "1 h"),
      (90_061_000, "1 d 1 h"), (-60_001, "-1 min"), (Int.min, "-106751991167 d 7 h"),
    ]) func text(_ milliseconds: Int, _ text: String)
  {
    #expect(TimeSpan.text(milliseconds: milliseconds) == text)
  }
}
