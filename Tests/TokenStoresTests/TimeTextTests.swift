import TestSupport
import Testing
import TokenStores

@Suite("Times as text")
struct TimeTextTests {
  static let names = [
    "seconds", "milliseconds", "iso", "timestamptz", "timestamp", "timestamp:Europe/Berlin",
    "timestamp:America/St_Johns", "timestamp:Australia/Lord_Howe", "timestamp:Asia/Kathmandu",
  ]

  @Test(
    "what each form writes",
    arguments: [
      ("seconds", "1367400600"), ("milliseconds", "1367400600000"), ("iso", "2013-05-01T09:30:00Z"),
      ("timestamptz", "2013-05-01 09:30:00+00"), ("timestamp", "2013-05-01 09:30:00"),
      ("timestamp:Europe/Berlin", "2013-05-01 11:30:00"),
      ("timestamp:America/New_York", "2013-05-01 05:30:00"),
    ])
  func writes(_ name: String, _ text: String) throws {
    let form = try #require(TimeForm(name))
    #expect(form.name == name)
    #expect(form.text(of: 1_367_400_600) == text)
    #expect(form.seconds(of: text) == 1_367_400_600)
  }

  @Test(
    "what else is read; fractions are rounded down, and a minute or a day is its last second",
    arguments: Fixtures.rows("read by stores", in: "times") + [
      // 2:30 came twice on 2013-10-27: the second time. It never came on 2013-03-31: as if it were winter still.
      ("timestamp:Europe/Berlin", "2013-10-27 02:30:00", 1_382_837_400),
      ("timestamp:Europe/Berlin", "2013-03-31 02:30:00", 1_364_693_400),
      // Russia moved its clocks for good, without summer time.
      ("timestamp:Europe/Moscow", "2014-10-26 01:30:00", 1_414_276_200),
    ] as [(String, String, Int64)])
  func reads(_ name: String, _ text: String, _ seconds: Int64) throws {
    #expect(try #require(TimeForm(name)).seconds(of: text) == seconds)
  }

  @Test("what is no time", arguments: Fixtures.rows("not read by stores", in: "times") as [(String, String)])
  func refused(_ name: String, _ text: String) throws {
    #expect(try #require(TimeForm(name)).seconds(of: text) == nil)
  }

  @Test(
    "names of no form, and zones that no database has",
    arguments: Fixtures.rows("no forms of stores", in: "times") as [String])
  func unknown(_ name: String) {
    #expect(TimeForm(name) == nil)
  }

  @Test("a form made by hand with an unknown zone reads and writes nothing")
  func unknownZone() {
    let form = TimeForm.timestamp(zone: "Europe/Atlantis")
    #expect(form.seconds(of: "2013-05-01 00:00:00") == nil)
    #expect(form.text(of: 0) == nil)
  }

  @Test("years without a date of four digits have no text; numbers have no such limit", arguments: names)
  func limits(_ name: String) throws {
    let form = try #require(TimeForm(name))
    let isNumber = name.hasSuffix("seconds")
    for seconds in [-62_135_770_000, 253_402_500_000, 1 << 52, -(1 << 52)] as [Int64] {
      #expect((form.text(of: seconds) != nil) == isNumber)
      if let text = form.text(of: seconds) { #expect(form.seconds(of: text) == seconds) }
    }
    for seconds in [Int64.min, .max] { #expect((form.text(of: seconds) != nil) == (name == "seconds")) }
  }

  @Test("what a form writes it reads; in an hour that comes twice, as the second one", arguments: names)
  func readsWhatItWrites(_ name: String) throws {
    let form = try #require(TimeForm(name))
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let seconds = Int64(generator.pick(-4_000_000_000...20_000_000_000))
      let text = try #require(form.text(of: seconds))
      let read = try #require(form.seconds(of: text))
      #expect(
        read == seconds || (read > seconds && read - seconds <= 7200 && form.text(of: read) == text),
        "\(text)")
    }
  }

  @Test("no text ends the process", arguments: names)
  func anyText(_ name: String) throws {
    let form = try #require(TimeForm(name))
    var generator = SeededGenerator(seed: 10)
    let base = Array("2013-05-01 09:30:00.5+02:00".utf8)
    for _ in 0..<3000 {
      var text = Array(base.prefix(generator.pick(0...base.count)))
      for _ in 0..<generator.pick(0...3) where !text.isEmpty {
        text[generator.pick(0...text.count - 1)] = UInt8(generator.pick(0x20...0x7e))
      }
      _ = form.seconds(of: String(decoding: text, as: UTF8.self))
    }
  }
}
