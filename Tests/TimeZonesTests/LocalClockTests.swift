import Basics
import TestSupport
import Testing

/// Local times. The expected ones are those of Python's zoneinfo.
@Suite("Local times")
struct LocalClockTests {
  @Test(
    "have the offset of their moment",
    arguments: Fixtures.rows("local", in: "times") as [(String, String, String, String)])
  func time(_ why: String, _ zone: String, _ utc: String, _ local: String) throws {
    let clock = try #require(LocalClock(zone))
    let seconds = try #require(UTCTime.parse(utc))
    #expect(clock.text(seconds) == local, "\(why)")
    #expect(
      clock.text(CaptureTime(seconds: Int64(seconds), fraction: 25, digits: 3))
        == "\(local.prefix(19)).025\(local.suffix(6))")
    // As a column is written: from a period that other times of it share.
    let period = clock.period(at: Int64(seconds))
    #expect(period.moments.contains(Int64(seconds)))
    let texts = TimeTexts()
    let written = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      if let start = buffer.baseAddress { period.write(seconds, texts, to: UnsafeMutableRawPointer(start)) }
      count = 25
    }
    #expect(String(decoding: written, as: UTF8.self) == local)
  }

  @Test("periods are contiguous, and no longer than their offset holds")
  func periods() throws {
    let clock = try #require(LocalClock("Europe/Berlin"))
    var moment: Int64 = 1_356_998_400
    for _ in 0..<900 {
      let period = clock.period(at: moment)
      #expect(period.moments.contains(moment) && !period.moments.isEmpty)
      let last = clock.period(at: period.moments.upperBound - 1)
      #expect(last.moments == period.moments)
      moment = period.moments.upperBound
    }
  }

  /// As `TZ=Europe/Berlin date -d` has them with CEST or CET. On 2019-03-31 there was no 02:30.
  @Test(
    "of a time that comes twice, the first moment is that of summer",
    arguments: [
      (1_572_143_400, 1_572_136_200), (1_572_141_600, 1_572_134_400), (1_572_145_200, 1_572_141_600),
      (1_553_999_400, 1_553_995_800), (1_561_982_400, 1_561_975_200), (0, -3600),
    ] as [(Int64, Int64)])
  func firstMoment(_ local: Int64, _ moment: Int64) throws {
    #expect(try #require(Zone.named("Europe/Berlin")).firstMoment(ofLocal: local) == moment)
    if moment >= 0 { #expect(LocalClock("Europe/Berlin")?.moment(ofLocal: UInt32(local)) == UInt32(moment)) }
  }

  @Test(
    "a name that no zone has suggests others",
    arguments: [
      ("Europe/Berlon", ["Europe/Berlin"]), ("berlin", ["Europe/Berlin"]), ("America/Tokyo", ["Asia/Tokyo"]),
      ("Asia/Toky", ["Asia/Tokyo"]), ("Mars", []),
    ])
  func unknown(_ name: String, _ like: [String]) {
    #expect(LocalClock(name)?.name == nil)
    #expect(LocalClock.namesLike(name) == like)
  }

  @Test(
    "names are not paths", arguments: ["../passwd", "/etc/passwd", "", "Europe", "Europe/", "posixrules "])
  func paths(_ name: String) {
    #expect(LocalClock(name)?.name == nil)
  }
}
