import Basics
import CommandTestSupport
import Testing
import Wording

/// Records of lines and tables of text (docs/spec/text-lines.md). Expected values are those of the text, read by people.
@Suite("Lines and tables of text")
struct TextLineTests {
  private let directory: TestDirectory
  private static let digits = "7a82e565636149ae24c3f7f63bdc78dd2dd44530d586df141b9de7f153045428"
  private static let token = "<7a82e565 636149ae 24c3f7f6 3bdc78dd 2dd44530 d586df14 1b9de7f1 53045428>"

  init() throws { directory = try TestDirectory() }

  /// A line with `TOKEN` for the token, and its record: time, flags besides `carved`, and confidence; nil for none.
  struct Line: CustomTestStringConvertible, Sendable {
    let text: String
    let record: String?

    init(_ text: String, _ record: String?) { (self.text, self.record) = (text, record) }

    var testDescription: String { text }
  }

  private static let lines = [
    // A word that says that the token is in use.
    Line("2014-02-20T05:00:00Z app[221]: registered new device token TOKEN for user 1005", nil),
    Line(
      "2014-02-20 10:00:01.123 MyApp[311:60b] didRegisterForRemoteNotificationsWithDeviceToken: TOKEN", nil),
    Line("2014-02-20T05:00:00Z REGISTRATION of TOKEN", nil),
    Line("stored TOKEN at 2014-02-20T05:00:00Z", nil),
    Line("2014-02-20T05:00:00Z TOKEN subscribed to news", nil),
    Line("timestamp=1392872400 nodeRegistered TOKEN", nil),
    Line("2014-02-20T05:00:00Z run registration TOKEN", nil),
    // The opposite.
    Line("2014-02-20T05:00:00Z unregistered TOKEN", "2014-02-20T05:00:00Z,likely,"),
    Line("2014-02-20T05:00:00Z TOKEN NotRegistered", "2014-02-20T05:00:00Z,likely,"),
    Line("2014-02-20T05:00:00Z TOKEN is no longer registered", "2014-02-20T05:00:00Z,likely,"),
    Line("2014-02-20T05:00:00Z deviceUnregistered: TOKEN", "2014-02-20T05:00:00Z,likely,"),
    Line("2014-02-20T05:00:00Z TOKEN unsubscribed", "2014-02-20T05:00:00Z,likely,"),
    // Numbers count if a word names them.
    Line("account 1400000000 has TOKEN", nil),
    Line("1400000000 TOKEN removed", "2014-05-13T16:53:20Z,doubtful,"),
    Line("TOKEN timestamp=1400000000", "2014-05-13T16:53:20Z,likely,"),
    Line("1400000000 feedback: TOKEN is gone", "2014-05-13T16:53:20Z,doubtful,"),
    Line("{\"failed_at\": 1400000000000, \"device\": \"TOKEN\"}", "2014-05-13T16:53:20Z,likely,"),
    Line("TOKEN invalid since 1400000000", "2014-05-13T16:53:20Z,likely,"),
    Line("TOKEN timestamp=14000000001", nil), Line("TOKEN timestamp=1000000000", nil),
    // No word says what it is.
    Line("2014-02-20T05:00:00Z My token is: TOKEN", "2014-02-20T05:00:00Z,doubtful,"),
    // Two times.
    Line(
      "2014-02-20T05:00:00Z worker: TOKEN failedAt=2014-02-19T22:10:00Z",
      "2014-02-19T22:10:00Z,likely,other-time-in-line"),
    Line(
      "timestamp=1392872400 TOKEN unregistered since 2014-02-19T22:10:00Z",
      "2014-02-19T22:10:00Z,likely,other-time-in-line"),
    Line(
      "2014-02-20T05:00:00Z TOKEN 2014-02-19T22:10:00Z", "2014-02-19T22:10:00Z,doubtful,other-time-in-line"),
    Line("2014-02-20T05:00:00Z feedback: TOKEN 2014-02-20 07:00:00 +0200", "2014-02-20T05:00:00Z,likely,"),
    // Zones.
    Line("2014-02-20 05:00:00 feedback TOKEN", "2014-02-20T05:00:00Z,likely,assumed-utc"),
    Line("2014-02-20 05:00:00,123 UTC feedback TOKEN", "2014-02-20T05:00:00Z,likely,"),
    Line("2014-02-20 05:00:00 -05:30 feedback TOKEN", "2014-02-20T10:30:00Z,likely,"),
    Line("2014-02-20 05:00:00+02 feedback TOKEN", "2014-02-20T03:00:00Z,likely,"),
    Line("20/Feb/2014:05:00:00 +0000 feedback TOKEN", "2014-02-20T05:00:00Z,likely,"),
    Line("20/Feb/2014:05:00:00 Zulu feedback TOKEN", "2014-02-20T05:00:00Z,likely,assumed-utc"),
  ]

  private func rows(_ arguments: String...) throws -> [String] {
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 0, "\(outcome.errors)")
    return Array(outcome.lines.dropFirst())
  }

  @Test("the words and times of a line decide", arguments: lines)
  func line(_ line: Line) throws {
    try directory.write(line.text.replacing("TOKEN", with: Self.token) + "\n", to: "a.log")
    let found = try rows("carve", "a.log", "--columns", "time,confidence,flags,token")
    let expected = line.record.map { record -> String in
      var flags = record.split(separator: ",").dropFirst(2).map(String.init) + ["carved"]
      flags.sort()
      return record.split(separator: ",").prefix(2).joined(separator: ",")
        + ",\(flags.joined(separator: ";")),\(Self.digits)"
    }
    #expect(found == [expected].compactMap { $0 })
    if line.record == nil {
      #expect(
        try rows("carve", "a.log", "--records", "findings").count { $0.contains(",excluded-lines,note,") }
          == 1)
    }
  }

  @Test("all kinds of lines in one file, one stream for each set of flags, and an exact count of the others")
  func allLines() throws {
    let text = Self.lines.map { $0.text.replacing("TOKEN", with: Self.token) + "\n" }.joined()
    try directory.write(text, to: "all.log")
    let found = try rows("carve", "all.log", "--columns", "stream,file_offset,flags,confidence")
    #expect(found.count == Self.lines.count { $0.record != nil })
    let streams = Set(found.map { $0.split(separator: ",", omittingEmptySubsequences: false)[0] })
    let kinds = Set(found.map { $0.split(separator: ",", omittingEmptySubsequences: false)[2...].joined() })
    #expect(streams.count == kinds.count)
    let finding = try rows("carve", "all.log", "--records", "findings")
    let (inUse, untimed) = (7, 3)
    #expect(finding.count == 1)
    #expect(
      finding[0].contains("\(inUse) in lines about") && finding[0].contains("\(untimed) in lines without"))
  }

  @Test(
    "logs of an examiner's case",
    arguments: [("nslog.txt", 0), ("registrations-and-feedback.log", 5), ("nozone.log", 6)]
  )
  func logs(_ name: String, _ records: Int) throws {
    let path = Repository.path(of: "Tests/Fixtures/cases/examiner/logs/\(name)")
    #expect(try rows("export", path).count == records)
    #expect(try rows("carve", path).count == records)
    #expect(
      try rows("export", path, "--columns", "flags").count { $0.contains("assumed-utc") }
        == (name == "nozone.log" ? 6 : 0))
  }

  @Test(
    "--log-zone is the zone of times that name none",
    arguments: [
      ("Europe/Berlin", "2014-07-20T03:00:00Z"), ("+02:00", "2014-07-20T03:00:00Z"),
      ("-0530", "2014-07-20T10:30:00Z"),
      ("UTC", "2014-07-20T05:00:00Z"),
    ])
  func zone(_ zone: String, _ time: String) throws {
    try directory.write(
      "2014-07-20 05:00:00 feedback \(Self.token)\n2014-07-20 05:00:00Z feedback \(Self.token)\n", to: "a.log"
    )
    let found = try rows("carve", "a.log", "--log-zone", zone, "--columns", "time,flags")
    #expect(found == ["\(time),carved", "2014-07-20T05:00:00Z,carved"])
    try directory.write("time,token\n2014-07-20 05:00:00,\(Self.digits)\n", to: "a.csv")
    #expect(try rows("export", "a.csv", "--log-zone", zone, "--columns", "time,flags") == ["\(time),"])
  }

  @Test("a zone that does not exist", arguments: ["Mars/Base", "+24:00", "+02:0"])
  func noZone(_ zone: String) throws {
    try directory.write("", to: "a.log")
    let outcome = try directory.apnsift("carve", "a.log", "--log-zone", zone)
    #expect(outcome.code == 64 && outcome.errors.contains("--log-zone: "))
  }

  // MARK: - Tables

  @Test(
    "tables of feedback: columns, delimiters and quotes",
    arguments: [
      "time,token\n2014-05-13T16:53:20Z,TOKEN\n", "token;failed_at\r\nTOKEN;1400000000\r\n",
      "\"id\",\"device_token\",\"failed_at\",\"created_at\"\n1,\"TOKEN\",\"2014-05-13 16:53:20 UTC\",\"2014-06-01\"\n",
      "token\ttimestamp\nTOKEN\t1400000000123\n",
      "time|invalidated_at|token\n2014-06-01T00:00:00Z|2014-05-13T16:53:20Z|TOKEN",
    ])
  func table(_ text: String) throws {
    try directory.write(text.replacing("TOKEN", with: Self.digits), to: "a.csv")
    #expect(
      try rows("export", "a.csv", "--columns", "time,token,flags") == ["2014-05-13T16:53:20Z,\(Self.digits),"]
    )
  }

  @Test(
    "tables that are none of feedback",
    arguments: ["token,registered_at", "token,created_at", "token,time,registered_at", "time,name"])
  func otherTable(_ header: String) throws {
    try directory.write("\(header)\n\(Self.digits),1400000000,1400000000\n", to: "a.csv")
    let outcome = try directory.apnsift("export", "a.csv")
    #expect(!outcome.text.contains(Self.digits) && !outcome.said(.noProblems))
  }

  @Test("a line that cannot be read is an error with its location, and the others are read")
  func damagedTable() throws {
    try directory.write(
      "time,token\n1400000000,\(Self.digits)\nyesterday,\(Self.digits)\n1400000000,xyz\n1400000000\n1400000001,\(Self.digits)\n",
      to: "a.csv")
    let outcome = try directory.apnsift("export", "a.csv", "--columns", "time")
    #expect(outcome.code == 2)
    #expect(outcome.text == "time\n2014-05-13T16:53:20Z\n2014-05-13T16:53:21Z\n")
    for location in ["line 3, column 1", "line 4, column 1", "line 5, column 1"] {
      #expect(outcome.errors.contains(location), "\(location) in \(outcome.errors)")
    }
  }

  @Test(
    "tables of cases",
    arguments: [
      ("examiner/logs/feedback-export.csv", 20, "assumed-utc"), ("public/rpush-feedback.csv", 3, ""),
    ])
  func tables(_ name: String, _ records: Int, _ flags: String) throws {
    let path = Repository.path(of: "Tests/Fixtures/cases/\(name)")
    #expect(
      try rows("export", path, "--columns", "time,flags").map {
        $0.split(separator: ",").dropFirst().joined()
      }
        == Array(repeating: flags, count: records))
  }

  // MARK: - What is shown

  @Test("show prints what is in the file, and names the decoded bytes as such")
  func shown() throws {
    let line = "2014-02-20T05:00:00Z app[221]: APNs feedback: device \(Self.token) is gone"
    try directory.write("first\n\(line)\nlast\n", to: "a.log")
    let found = try directory.apnsift("show", "--from", "carve", "a.log", "--record", "1").text
    #expect(found.contains("in the file at offset 6:\n  \(line)\ndecoded:\n"))
    #expect(found.contains("feedback tuple, from a line of text\n"))
    for (name, first) in [
      ("tls-session.base64", "UgTImAAgCfztV3AfnU6+Jzt8SUlAXrGf9pIw62Okmfb3LgO6jQddKbZsACBcxJGG"),
      ("tls-session.xxd", "00000020: "), ("tls-session.hex", "99f6f72e03ba8d075d29b66c0020"),
    ] {
      let text = try directory.apnsift("show", Repository.path(of: "samples/\(name)"), "--record", "2").text
      #expect(text.contains(":\n  \(first)") && text.contains("\ndecoded:\n"), "\(text)")
    }
    let raw = try directory.apnsift("show", Repository.path(of: "samples/tls-session.bin"), "--record", "2")
      .text
    #expect(!raw.contains("decoded:") && !raw.contains("in the file"))
  }

  @Test("a report shows what is in the file, and leaves it out where tokens are redacted")
  func reported() throws {
    let line = "2014-02-20T05:00:00Z app: registered \(Self.token)"
    try directory.write("\(line)\n2014-02-20T05:00:01Z app: invalid since then: \(Self.token)\n", to: "a.log")
    try directory.write(Array(repeating: UInt8(ascii: "k"), count: 64), to: "key")
    let page = try directory.apnsift("report", "--from", "carve", "a.log", "-o", "a.html")
    #expect(page.code == 0, "\(page.errors)")
    let escaped = line.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    #expect((try directory.text(of: "a.html")).contains(escaped))
    #expect(
      try directory.apnsift("report", "--from", "carve", "a.log", "-o", "b.html", "--redact", "key").code == 0
    )
    #expect(!(try directory.text(of: "b.html")).contains("7a82e565"))
  }

  // MARK: - Content that a search does not decode

  @Test("Format-Hex, and a search that cannot decode it")
  func formatHex() throws {
    let path = Repository.path(of: "Tests/Fixtures/cases/examiner/logs/format-hex.txt")
    let outcome = try directory.apnsift("export", path, "--columns", "token")
    #expect(outcome.lines.count == 16 && outcome.said(.noProblems))
    let carved = try directory.apnsift("carve", path)
    let decoded: Message =
      "no record was found, and a search does not decode what this is: it looks like --from hex: "
      + "use apnsift export, which reads it"
    #expect(carved.said(decoded) && !carved.said(.noProblems))
    try directory.write([UInt8](repeating: 0, count: 5000), to: "zeros")
    #expect(
      try directory.apnsift("carve", "zeros").said(
        "no record found; compressed and encrypted parts were not searched"))
  }

  /// The text of a followed stream, whose tokens are expected, and how it is encoded.
  static let encodings: [(script: String, code: Int32, message: String)] = [
    ("b'\\xff\\xfe' + text.encode('utf-16-le')", 0, "no problems found"),
    ("text.encode('utf-16') + b'x'", 2, "begins as UTF-16 text and has other bytes near here"),
    ("text.encode('utf-16') + b'\\x3d\\xd8'", 2, "begins as UTF-16 text"),
  ]

  @Test("UTF-16 is decoded, and with --from raw searched as it is stored", arguments: encodings)
  func utf16(_ script: String, _ code: Int32, _ message: String) throws {
    let path = Repository.path(of: "Tests/Fixtures/cases/public/follow-raw-utf16.txt")
    _ = try directory.tool(
      "python3",
      ["-c", "text = open('\(path)', encoding='utf-16').read(); open('text', 'wb').write(\(script))"])
    let outcome = try directory.apnsift("export", "text", "--columns", "timestamp,token")
    let tokens = ["5513e3ea", "18d6e1ca", "98ce94b2", "1032746e", "5cb0cce7", "575671dc"]
    let expected = tokens.enumerated().map { "\(1_400_000_000 + 100 * $0.offset),\($0.element)" }
    #expect(outcome.lines.dropFirst().map { $0.prefix(19) } == expected.map { $0[...] })
    #expect(outcome.code == code && outcome.errors.contains(message), "\(outcome.errors)")
    let raw = try directory.apnsift("export", "--from", "raw", path)
    #expect(raw.errors.contains("UTF-16 text: searched as it is stored"), "\(raw.errors)")
  }
}
