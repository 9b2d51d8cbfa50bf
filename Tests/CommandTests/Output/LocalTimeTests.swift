import CaptureWriting
import CommandTestSupport
import Testing

/// `--time-zone`: local times next to those in UTC.
@Suite("Local times in outputs")
struct LocalTimeTests {
  private let directory = TestDirectory()
  /// Around the changes of summer time in 2014, in a zone that has them.
  private static let zone = "Europe/Berlin"
  private static let seconds: [UInt32] = [1_396_141_199, 1_396_141_200, 1_414_285_199, 1_414_285_200]

  init() throws {
    try directory.write(
      feedback(Self.seconds.enumerated().map { Tuple($0.element, token($0.offset)) }), to: "dump.bin")
  }

  /// The local times of another program.
  private func expected() throws -> [String] {
    try Self.seconds.map { seconds in
      let printed = try directory.shell("TZ=\(Self.zone) date -d @\(seconds) --iso-8601=seconds").text
      return printed.filter { $0 != "\n" }
    }
  }

  private func export(_ options: String = "") throws -> [String] {
    try directory.apnsift("export dump.bin \(options)".words).exits(0).lines
  }

  @Test("are a column next to each time, and only if asked for")
  func columns() throws {
    let local = try expected()
    let all = try export("--time-zone \(Self.zone)")
    #expect(all[0].contains(",captured_at,captured_at_local,timestamp,time,time_local,token_length,"))
    let plain = try export()
    #expect(!plain.joined().contains("local"))
    // Without the added columns, the rows are the same.
    let fewer = all.dropFirst().map { row in
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      return fields.indices.filter { $0 != 5 && $0 != 8 }.map { fields[$0] }.joined(separator: ",")
    }
    #expect(fewer == Array(plain.dropFirst()))
    let named = try export("--columns time,token_length --time-zone \(Self.zone)")
    #expect(named[0] == "time,time_local,token_length")
    #expect(named.dropFirst().map { String($0.split(separator: ",")[1]) } == local)
    #expect(try export("--columns time_local --time-zone \(Self.zone)") == ["time_local"] + local)
  }

  @Test("are members of JSON, and in the text of inspect and show, and in the report")
  func others() throws {
    let local = try expected()
    let lines = try export("-t ndjson --time-zone \(Self.zone)").filter { $0.contains("\"feedback\"") }
    for (line, time) in zip(lines, local) { #expect(line.contains("\"time_local\":\"\(time)\"")) }
    #expect(try !export("-t ndjson").joined().contains("_local"))
    let zone = ["dump.bin", "--time-zone", Self.zone]
    let inspected = try directory.apnsift(["inspect"] + zone).text
    #expect(inspected.contains("\n  \(Self.zone): from \(local[0]) to \(local[3])\n"))
    let shown = try directory.apnsift(["show", "--record", "2"] + zone).text
    #expect(shown.contains("\nlocal time in \(Self.zone): \(local[1])\n"))
    let page = try directory.report(zone)
    #expect(page.html.contains("<dt>Local times</dt><dd>\(Self.zone), next to UTC</dd>"))
    let cells = page.elements("td", "when", in: page.section("tokens"))
    #expect(cells.map { $0.replacing(/.*<small>|<.small>/, with: "") } == local.reversed())
    #expect(page.html.contains("2014-03-30 00:59:59 UTC (\(local[0]))"))
  }

  @Test("of a capture have its precision")
  func capture() throws {
    try directory.writeCapture(FeedbackConversation.plain.segments(), to: "a.pcap")
    let export = "export a.pcap --time-zone Asia/Kolkata".words
    let rows = try directory.apnsift(export + ["--columns", "captured_at"]).rows
    #expect(!rows.isEmpty)
    for times in rows {
      #expect(times.count == 2 && times[1].hasSuffix("+05:30"))
      #expect(times[0].dropFirst(19).dropLast() == times[1].dropFirst(19).dropLast(6))
    }
    let streams = try directory.apnsift(export + ["--records", "streams"]).text
    #expect(streams.contains(",started_at,started_at_local,ended_at,ended_at_local,"))
    #expect(streams.matches(of: /\+05:30/).count == 2)
  }
}
