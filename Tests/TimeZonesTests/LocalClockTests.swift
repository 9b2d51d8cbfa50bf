import Basics
import Testing

/// Local times. The expected ones are those of Python's zoneinfo.
@Suite("Local times")
struct LocalClockTests {
  static let times: [(zone: String, utc: String, local: String)] = [
    // Summer time begins and ends, also by the rule for years after the file's changes.
    ("Europe/Berlin", "2014-03-30T00:59:59Z", "2014-03-30T01:59:59+01:00"),
    ("Europe/Berlin", "2014-03-30T01:00:00Z", "2014-03-30T03:00:00+02:00"),
    ("Europe/Berlin", "2014-10-26T00:59:59Z", "2014-10-26T02:59:59+02:00"),
    ("Europe/Berlin", "2014-10-26T01:00:00Z", "2014-10-26T02:00:00+01:00"),
    ("Europe/Berlin", "2100-07-01T00:00:00Z", "2100-07-01T02:00:00+02:00"),
    ("America/New_York", "2007-03-11T06:59:59Z", "2007-03-11T01:59:59-05:00"),
    ("America/New_York", "2007-03-11T07:00:00Z", "2007-03-11T03:00:00-04:00"),
    ("Australia/Lord_Howe", "2014-10-04T15:29:59Z", "2014-10-05T01:59:59+10:30"),
    ("Australia/Lord_Howe", "2014-10-04T15:30:00Z", "2014-10-05T02:30:00+11:00"),
    // The zone itself changes.
    ("Asia/Kathmandu", "1985-12-31T18:29:59Z", "1985-12-31T23:59:59+05:30"),
    ("Asia/Kathmandu", "1985-12-31T18:30:00Z", "1986-01-01T00:15:00+05:45"),
    ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59-10:00"),
    ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00+14:00"),
    ("Europe/Moscow", "2011-03-26T22:59:59Z", "2011-03-27T01:59:59+03:00"),
    ("Europe/Moscow", "2011-03-26T23:00:00Z", "2011-03-27T03:00:00+04:00"),
    ("Europe/Moscow", "2014-10-25T21:59:59Z", "2014-10-26T01:59:59+04:00"),
    ("Europe/Moscow", "2014-10-25T22:00:00Z", "2014-10-26T01:00:00+03:00"),
    ("America/Caracas", "2007-12-09T06:59:59Z", "2007-12-09T02:59:59-04:00"),
    ("America/Caracas", "2007-12-09T07:00:00Z", "2007-12-09T02:30:00-04:30"),
    // No changes, and local times before the first and after the last time of 32 bits.
    ("Asia/Kolkata", "2013-05-01T09:30:00Z", "2013-05-01T15:00:00+05:30"),
    ("UTC", "2013-05-01T09:30:00Z", "2013-05-01T09:30:00+00:00"),
    ("America/Los_Angeles", "1970-01-01T00:00:00Z", "1969-12-31T16:00:00-08:00"),
    ("Pacific/Kiritimati", "2106-02-07T06:28:15Z", "2106-02-07T20:28:15+14:00"),
    // The offset is 44 minutes and 30 seconds, which RFC 3339 cannot write: the same moment, with a rounded offset.
    ("Africa/Monrovia", "1970-06-01T00:00:00Z", "1970-05-31T23:15:00-00:45"),
  ]

  @Test("have the offset of their moment", arguments: times)
  func time(_ zone: String, _ utc: String, _ local: String) throws {
    let clock = try #require(LocalClock(zone))
    let seconds = try #require(UTCTime.parse(utc))
    #expect(clock.text(seconds) == local)
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
