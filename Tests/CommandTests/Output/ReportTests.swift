import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// `report`: pages written by the built command.
@Suite("Evidence report") struct ReportTests {
  private let directory = TestDirectory(["dump.bin": Self.damaged, "two.bin": feedback(tuples(2))])
  /// Twenty tuples, one of which lost a byte of its token, and a few repetitions.
  private static let damaged: [UInt8] = {
    var bytes = feedback(tuples(20) + tuples(3, at: 1_500_000_000) + tuples(1, at: 1_550_000_000))
    bytes.remove(at: 38 * 10 + 20)
    return bytes
  }()

  // MARK: - Contents

  @Test("is well-formed, and loads nothing") func wellFormed() throws {
    try directory.write([UInt8](repeating: 0x17, count: 3) + [3, 1, 2, 0], to: "<b>&\"'.bin")
    try directory.writeCapture(FeedbackConversation.plain.segments(), to: "a.pcap")
    let page = try directory.report(["dump.bin", "<b>&\"'.bin", "a.pcap", "--notes", "One <i>.\n\nTwo."])
    try directory.write(page.html, to: "page.html")
    let found = try directory.tool("python3", [Repository.path(of: "Tests/Fixtures/programs/page_faults.py")])
    #expect(String(decoding: found, as: UTF8.self) == "[]\n")
    for word in ["http:", "https:", "url(", "@import"] { #expect(!page.html.contains(word), "\(word)") }
  }

  @Test("is reproducible, and has a date only with --made-at") func reproducible() throws {
    let first = try directory.report(["dump.bin"])
    #expect(first.html == (try directory.report(["dump.bin"])).html)
    #expect(!first.html.contains("<dt>Made</dt>"))
    let options = "--made-at 2026-11-21T10:00:00+01:00 --examiner".words
    let made = try directory.report(["dump.bin"] + options + ["A. Examiner"])
    #expect(made.html.contains("<dt>Made</dt><dd>2026-11-21T09:00:00Z</dd>"))
    #expect(made.html.contains("<dt>Examiner</dt><dd>A. Examiner</dd>"))
  }

  @Test("lists every file, also those that are not read, with the reason") func files() throws {
    try directory.write(feedback(tuples(2)), to: "evidence/dump.bin")
    try directory.write("no dump", to: "evidence/note.txt")
    _ = try directory.shell("ln -s nowhere evidence/link; mkfifo evidence/pipe")
    let section = try directory.report(["evidence"]).section("examined")
    let names = section.matches(of: /class="name">([^<]*)</).map { String($0.output.1) }
    #expect(names.sorted() == ["dump.bin", "link", "note.txt", "pipe"].map { "evidence/" + $0 })
    #expect(section.contains("(link to nowhere)"))
    // Sizes and digests of the dump and the note, and none of the link and the pipe.
    for name in ["dump.bin", "note.txt"] {
      #expect(section.contains(try directory.digest("evidence/\(name)")))
    }
    #expect(section.matches(of: /SHA-256/).count == 2 && section.contains(">76 bytes<"))
    let cut = try directory.report("evidence --max-files 1".words)
    #expect(cut.figures("p", "cut", in: cut.section("examined")) == [["1", "3"]])
  }

  @Test("lists the tokens, those that became invalid last first, and the repeated ones")
  func invalidatedTokens() throws {
    let page = try directory.report(["dump.bin"])
    let section = page.section("tokens")
    // The byte was lost in token 10; the record after it is flagged.
    let expected = (0..<20).filter { $0 != 10 && $0 != 11 }.map { hex(token($0)) }
    let listed = page.texts("span", "token", in: section)
    #expect(Set(listed.prefix(expected.count)) == Set(expected))
    // Tokens of flagged records come after them, each linked to its input.
    #expect(listed.contains(hex(token(11))) && Set(listed).count == listed.count)
    #expect(section.matches(of: /<a href="#input-0">dump.bin<\/a>/).count == listed.count)
    #expect(page.section("examined").contains("<tbody id=\"input-0\">"))
    #expect(listed.first == hex(token(0)))
    #expect(page.texts("td", "when", in: section).first == "2019-02-12 19:33:20 UTC")
    #expect(page.figures("p", "alert", in: section) == [["1"]])
    // Token 0 has three records, 1 and 2 have two: these are in byte order.
    let repeated = [token(0)] + [token(1), token(2)].sorted { $0.lexicographicallyPrecedes($1) }
    #expect(page.texts("span", "token", in: page.section("repeated")) == repeated.map { hex($0) })
  }

  @Test("shows the bytes of each finding, for every input format") func bytes() throws {
    try directory.write(hex(Self.damaged).uppercased(), to: "dump.hex")
    let conversation = Conversation(serverSends: Self.damaged, in: [7])
    try directory.writeCapture(conversation.segments(), to: "dump.pcap")
    let windows = try ["dump.bin", "dump.hex", "dump.pcap"].map { name in
      let page = try directory.report([name])
      #expect(page.shownBytes(of: page.section("findings")).count > 4)
      expectShown(Self.damaged, in: page)
      return page.texts("div", "cells").joined()
    }
    #expect(Set(windows).count == 1)
  }

  /// The bytes that the page shows of findings are those of the stream.
  private func expectShown(_ stream: [UInt8], in page: Page) {
    for cell in page.shownBytes(of: page.section("findings")) {
      #expect(cell.bytes == Array(stream[cell.offset...].prefix(cell.bytes.count)), "\(cell.offset)")
    }
  }

  @Test("both directions of a gateway connection: outcomes, errors, and findings in the requests")
  func gateway() throws {
    var damaged = enhancedRequests(9, payload: Array("{}".utf8))
    damaged.insert(contentsOf: [UInt8](repeating: 0xee, count: 20), at: 3 * 47)
    try directory.write(damaged, to: "sent.bin")
    try directory.write(refusal(8, 6), to: "got.bin")
    let page = try directory.report("--requests sent.bin --responses got.bin".words)
    let section = page.section("gateway")
    #expect(
      page.texts("td", "number", in: section).prefix(8) == [
        "5", "55.6 %", "1", "11.1 %", "3", "33.3 %", "0", "0 %",
      ])
    // The status and the identifier, and the offset of the request with that identifier.
    let response = try #require(page.figures("div", "box", in: section).first)
    #expect(response.prefix(3) == ["8", "6", "\(5 * 47 + 20)"])
    #expect(section.contains(hex(token(5))))
    expectShown(damaged, in: page)
    #expect(!page.shownBytes(of: page.section("findings")).isEmpty)
    let command = "apnsift show --requests sent.bin --responses got.bin --offset 141 --direction client"
    #expect(page.html.contains(command))
  }

  @Test("the page is the same if tokens exceed --memory") func littleMemory() throws {
    try directory.write(feedback(tuples(30_000) + tuples(500, at: 1_500_000_000)), to: "dump.bin")
    let pages = try [[], ["--memory", "1MiB"]].map { try directory.report(["dump.bin"] + $0) }
    for section in ["examined", "invalidations", "repeated"] {
      #expect(pages[0].section(section) == pages[1].section(section))
    }
    #expect(pages[0].texts("span", "token") == pages[1].texts("span", "token"))
    #expect(try directory.temporaryNames == [])
  }

  @Test("a file that is not a dump has no protocol, and its stream is left out of the readers")
  func noDump() throws {
    var generator = FixedGenerator(seed: 3)
    let noise = (0..<6674).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try directory.write([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + noise, to: "picture.png")
    let alone = try directory.report(["picture.png", "--readers"])
    #expect(alone.figures("p", "opening") == [["6,682"]] && alone.html.contains("class=\"verdict unread\""))
    #expect(alone.elements("article", "reader").isEmpty)
    let both = try directory.report("picture.png two.bin --readers".words)
    let protocols = both.section("streams").matches(of: /data-label="Protocol">([^<]*)</).map {
      String($0.output.1)
    }
    #expect(protocols.filter(["feedback", "gateway", "encrypted", "other"].contains) == ["feedback"])
    #expect(both.figuresOfParagraphs(in: both.section("readers")).contains(["1"]))
    // Streams, true records, reported, correct, wrong, missed.
    let right = both.elements("article", "reader").filter { $0.contains("class=\"severity right\"") }
    let figures = right.map { Array(both.figures("dl", "facts", in: $0).joined()) }
    #expect(figures.contains(["1", "2", "2", "2", "0", "0"]))
  }

  @Test("bytes that belong to no record add an assumption to the readers") func readersOfDamage() throws {
    #expect(try directory.report(["dump.bin"]).section("readers") == "")
    // One of two streams.
    let page = try directory.report("dump.bin two.bin --readers".words)
    #expect(page.figures("p", "alert", in: page.section("readers")) == [["2", "1"]])
    #expect(page.section("readers").ranges(of: "if it received exactly these bytes").count == 4)
    let sound = try directory.report(["two.bin", "--readers"]).section("readers")
    #expect(!sound.contains("class=\"alert\"") && !sound.contains("exactly these bytes"))
  }

  // MARK: - Limits

  @Test("limits are reported, with commands for the rest") func limits() throws {
    let lost = (0..<6).flatMap { feedback(tuples(4, from: 4 * $0)).dropLast(5) }
    try directory.write(lost, to: "it's.bin")
    let page = try directory.report(
      ["it's.bin"] + "--max-tokens 3 --max-places 1 --token-length 32,54".words)
    #expect(page.figures("p", "cut", in: page.section("tokens")).first == ["3", "18"])
    #expect(page.texts("span", "token", in: page.section("tokens")).count == 3)
    #expect(page.figures("p", "cut", in: page.section("findings")).contains(["1", "5"]))
    let commands = page.texts("pre", "command").map { $0.replacing("&#39;", with: "'") }
    #expect(commands.contains("apnsift export 'it'\\''s.bin' --token-length 32,54 --records findings"))
    // Each command works.
    for command in commands.flatMap({ $0.split(separator: "\n") }) {
      let outcome = try directory.shell("\"$APNSIFT\" " + command.dropFirst("apnsift ".count))
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
    }
  }

  @Test("the page names no command that writes nothing: a log of pushes has no feedback")
  func ofPushes() throws {
    let members = #""status":410,"reason":"Unregistered","timestamp":1400000000000"#
    try directory.write("{\"token\":\"\(hex(token(1)))\",\(members)}\n", to: "log.ndjson")
    let page = try directory.report(["log.ndjson"])
    #expect(page.texts("span", "token", in: page.section("tokens")).count == 1)
    #expect(!page.html.contains("--records feedback"))
    let both = try directory.report(["log.ndjson", "two.bin"])
    #expect(both.section("tokens").contains("--records feedback"))
  }

  @Test("a limit of 0 is possible; an excessive one is a usage error") func extremeLimits() throws {
    let options = [
      "tokens", "places", "streams", "responses", "repeated", "inputs", "files", "doubtful", "chains",
    ]
    let page = try directory.report(["dump.bin"] + options.flatMap { ["--max-\($0)", "0"] })
    let tokens = page.section("tokens")
    #expect(page.texts("p", "empty", in: tokens) == [] && page.texts("span", "token", in: tokens) == [])
    #expect(page.figures("p", "cut", in: tokens).first == ["19"])
    for option in options {
      for limit in ["100001", "-1"] {
        #expect(try directory.apnsift("report", "dump.bin", "--max-\(option)", limit).code == 64, "\(option)")
      }
    }
  }

  @Test("a stream that is decoded takes the row of one that is not, in any order") func mostStreams() throws {
    let other = Repository.path(of: "Tests/Fixtures/captures/pcapplusplus/frag_http_req.pcap")
    for inputs in [[other, "two.bin"], ["two.bin", other]] {
      let rows = try directory.report(inputs + ["--max-streams", "1"]).section("streams")
      #expect(rows.contains("</strong> of two.bin") && !rows.contains("</strong> of \(other)"))
    }
  }

  // MARK: - Errors and remarks

  @Test("an unreadable input gives exit code 2, and the page reports it") func missingInput() throws {
    let page = try directory.report(["missing.bin", "two.bin"], code: 2)
    #expect(page.figures("p", "alert", in: page.section("examined")) == [["1"]])
    let messages = page.texts("p", "message", in: page.section("findings"))
    #expect(messages == ["cannot be opened: No such file or directory"])
    #expect(page.html.contains("class=\"verdict damaged\""))
  }

  @Test("--strict gives exit code 1 for an error, and the page is still written") func strict() throws {
    #expect(try directory.report(["--strict", "dump.bin"], code: 1).html.hasSuffix("</html>\n"))
  }

  @Test("remarks come from a file or are the text itself; blank lines separate paragraphs")
  func note() throws {
    try directory.write("First line\nof one.\r\n\r\n\r\nSecond <p>.\n", to: "note.txt")
    let expected = "<div class=\"note\"><p>First line of one.</p>\n<p>Second &lt;p&gt;.</p>\n</div>"
    #expect(try directory.report(["two.bin", "--notes", "note.txt"]).html.contains(expected))
    let typed = try directory.apnsift("report", "two.bin", "--notes", "nota.txt")
    #expect(typed.said("--notes: no file is named 'nota.txt'"))
    #expect(typed.text.contains("<div class=\"note\"><p>nota.txt</p>"))
  }
}
