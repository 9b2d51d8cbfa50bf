import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// `report`: pages written by the built command.
@Suite("Evidence report") struct ReportTests {
  private let directory = TestDirectory()

  /// Twenty tuples, one of which lost a byte of its token, and a few repetitions.
  private func damagedDump() -> [UInt8] {
    var bytes = feedback(tuples(20) + tuples(3, at: 1_500_000_000) + tuples(1, at: 1_550_000_000))
    bytes.remove(at: 38 * 10 + 20)
    return bytes
  }

  // MARK: - Contents

  @Test("is well-formed, and loads nothing") func wellFormed() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    try directory.write([UInt8](repeating: 0x17, count: 3) + [3, 1, 2, 0], to: "<b>&\"'.bin")
    try directory.writeCapture(FeedbackConversation.plain.segments(), to: "a.pcap")
    let page = try directory.report(["dump.bin", "<b>&\"'.bin", "a.pcap", "--notes", "One <i>.\n\nTwo."])
    try directory.write(page.html, to: "page.html")
    let check = """
      import html.parser, sys
      VOID = {"meta", "br", "hr", "img", "input", "link"}
      class Check(html.parser.HTMLParser):
          stack, faults, ids = [], [], []
          def handle_starttag(self, tag, attributes):
              names = [name for name, _ in attributes]
              if len(set(names)) < len(names): self.faults.append(f"{self.getpos()}: attributes twice in {tag}")
              self.ids += [value for name, value in attributes if name == "id"]
              self.faults += [f"{tag} {name}" for name in names if name.startswith("on") or name in ("src", "action")]
              if tag in ("script", "img", "iframe", "object", "link", "form", "i"): self.faults.append(tag)
              if tag not in VOID: self.stack.append(tag)
          def handle_startendtag(self, tag, attributes): pass
          def handle_endtag(self, tag):
              if not self.stack or self.stack.pop() != tag: self.faults.append(f"{self.getpos()}: </{tag}>")
      check = Check()
      check.feed(open("page.html", encoding="utf-8").read())
      check.close()
      if len(set(check.ids)) < len(check.ids): check.faults.append("an id twice")
      print(check.faults + check.stack)
      """
    let found = try directory.tool("python3", ["-c", check])
    #expect(String(decoding: found, as: UTF8.self) == "[]\n")
    for word in ["http:", "https:", "url(", "@import"] { #expect(!page.html.contains(word), "\(word)") }
  }

  @Test("is reproducible, and has a date only with --made-at") func reproducible() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    let first = try directory.report(["dump.bin"])
    #expect(first.html == (try directory.report(["dump.bin"])).html)
    #expect(!first.html.contains("<dt>Made</dt>"))
    let made = try directory.report([
      "dump.bin", "--made-at", "2026-11-21T10:00:00+01:00", "--examiner", "A. Examiner",
    ])
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
      let digest = try directory.tool("sha256sum", ["evidence/\(name)"]).prefix(64)
      #expect(section.contains(String(decoding: digest, as: UTF8.self)))
    }
    #expect(section.matches(of: /SHA-256/).count == 2 && section.contains(">76 bytes<"))
    let cut = try directory.report(["evidence", "--max-files", "1"])
    #expect(cut.figures("p", "cut", in: cut.section("examined")) == [["1", "3"]])
  }

  @Test("lists the tokens, those that became invalid last first, and the repeated ones")
  func invalidatedTokens() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    let page = try directory.report(["dump.bin"])
    let section = page.section("tokens")
    // The byte was lost in token 10; the record after it is flagged.
    let invalidated = [0] + [1, 2] + (0..<20).reversed().filter { ![0, 1, 2, 10, 11].contains($0) }
    let expected = invalidated.map { hex(token($0)) }
    let listed = page.texts("span", "token", in: section)
    #expect(Set(listed.prefix(expected.count)) == Set(expected))
    // Tokens of flagged records come after them, each linked to its input.
    #expect(listed.contains(hex(token(11))) && Set(listed).count == listed.count)
    #expect(section.matches(of: /<a href="#input-0">dump.bin<\/a>/).count == listed.count)
    #expect(page.section("examined").contains("<tbody id=\"input-0\">"))
    #expect(page.texts("span", "token", in: section).first == hex(token(0)))
    #expect(page.texts("td", "when", in: section).first == "2019-02-12 19:33:20 UTC")
    #expect(page.figures("p", "alert", in: section) == [["1"]])
    let repeated = page.section("repeated")
    #expect(
      page.texts("span", "token", in: repeated) == [0, 1, 2].sorted(by: repeatedOrder).map { hex(token($0)) })
  }

  /// Token 0 has three records, 1 and 2 have two: these are in byte order.
  private func repeatedOrder(_ left: Int, _ right: Int) -> Bool {
    if left == 0 || right == 0 { return left == 0 }
    return token(left).lexicographicallyPrecedes(token(right))
  }

  @Test("shows the bytes of each finding, for every input format") func bytes() throws {
    let dump = damagedDump()
    try directory.write(dump, to: "dump.bin")
    try directory.write(hex(dump).uppercased(), to: "dump.hex")
    var conversation = Conversation(serverSends: dump)
    conversation.segmentSizes = [7]
    try directory.writeCapture(conversation.segments(), to: "dump.pcap")
    var windows: [String] = []
    for name in ["dump.bin", "dump.hex", "dump.pcap"] {
      let page = try directory.report([name])
      let cells = page.shownBytes(of: page.section("findings"))
      #expect(cells.count > 4)
      for cell in cells {
        #expect(
          cell.bytes == Array(dump[cell.offset...].prefix(cell.bytes.count)), "\(name) at \(cell.offset)")
      }
      windows.append(page.texts("div", "cells").joined())
    }
    #expect(windows[0] == windows[1] && windows[1] == windows[2])
  }

  @Test("both directions of a gateway connection: outcomes, errors, and findings in the requests")
  func gateway() throws {
    var damaged = enhancedRequests(9, payload: Array("{}".utf8))
    damaged.insert(contentsOf: [UInt8](repeating: 0xee, count: 20), at: 3 * 47)
    try directory.write(damaged, to: "sent.bin")
    try directory.write([8, 8, 0, 0, 0, 6], to: "got.bin")
    let page = try directory.report(["--requests", "sent.bin", "--responses", "got.bin"])
    let section = page.section("gateway")
    #expect(
      page.texts("td", "number", in: section).prefix(8) == [
        "5", "55.6 %", "1", "11.1 %", "3", "33.3 %", "0", "0 %",
      ])
    // The status and the identifier, and the offset of the request with that identifier.
    let response = try #require(page.figures("div", "box", in: section).first)
    #expect(response.prefix(3) == ["8", "6", "\(5 * 47 + 20)"])
    #expect(section.contains(hex(token(5))))
    for cell in page.shownBytes(of: page.section("findings")) {
      #expect(cell.bytes == Array(damaged[cell.offset...].prefix(cell.bytes.count)), "\(cell.offset)")
    }
    #expect(!page.shownBytes(of: page.section("findings")).isEmpty)
    #expect(
      page.html.contains(
        "apnsift show --requests sent.bin --responses got.bin --offset 141 --direction client"))
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

  @Test("a file that is not a dump has no protocol, and its stream is left out of the readers") func noDump()
    throws
  {
    var generator = FixedGenerator(seed: 3)
    let noise = (0..<6674).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try directory.write([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + noise, to: "picture.png")
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let alone = try directory.report(["picture.png", "--readers"])
    #expect(alone.figures("p", "opening") == [["6,682"]] && alone.html.contains("class=\"verdict unread\""))
    #expect(alone.elements("article", "reader").isEmpty)
    let both = try directory.report(["picture.png", "dump.bin", "--readers"])
    let protocols = both.section("streams").matches(of: /data-label="Protocol">([^<]*)</).map {
      String($0.output.1)
    }
    #expect(protocols.filter(["feedback", "gateway", "encrypted", "other"].contains) == ["feedback"])
    #expect(both.figuresOfParagraphs(in: both.section("readers")).contains(["1"]))
    // Streams, true records, reported, correct, wrong, missed.
    let right = both.elements("article", "reader").filter { $0.contains("class=\"severity right\"") }
    #expect(
      right.contains {
        both.figures("dl", "facts", in: $0).joined().elementsEqual(["1", "2", "2", "2", "0", "0"])
      })
  }

  @Test("bytes that belong to no record add an assumption to the readers") func readersOfDamage() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    try directory.write(feedback(tuples(2)), to: "sound.bin")
    #expect(try directory.report(["dump.bin"]).section("readers") == "")
    // One of two streams.
    let page = try directory.report(["dump.bin", "sound.bin", "--readers"])
    #expect(page.figures("p", "alert", in: page.section("readers")) == [["2", "1"]])
    #expect(page.section("readers").ranges(of: "if it received exactly these bytes").count == 4)
    let sound = try directory.report(["sound.bin", "--readers"]).section("readers")
    #expect(!sound.contains("class=\"alert\"") && !sound.contains("exactly these bytes"))
  }

  // MARK: - Limits

  @Test("limits are reported, with commands for the rest") func limits() throws {
    var lost: [UInt8] = []
    for part in 0..<6 { lost += feedback(tuples(4, from: 4 * part)).dropLast(5) }
    try directory.write(lost, to: "it's.bin")
    let page = try directory.report([
      "it's.bin", "--max-tokens", "3", "--max-places", "1", "--token-length", "32,54",
    ])
    #expect(page.figures("p", "cut", in: page.section("tokens")).first == ["3", "18"])
    #expect(page.texts("span", "token", in: page.section("tokens")).count == 3)
    let findings = page.section("findings")
    #expect(page.figures("p", "cut", in: findings).contains(["1", "5"]))
    let commands = page.texts("pre", "command").map { $0.replacing("&#39;", with: "'") }
    #expect(commands.contains("apnsift export 'it'\\''s.bin' --token-length 32,54 --records findings"))
    // Each command works.
    for command in commands.flatMap({ $0.split(separator: "\n").map { String($0) } }) {
      let outcome = try directory.shell("\"$APNSIFT\" " + command.dropFirst("apnsift ".count))
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
    }
  }

  @Test("the page names no command that writes nothing: a log of pushes has no feedback") func ofPushes()
    throws
  {
    let members = #""status":410,"reason":"Unregistered","timestamp":1400000000000"#
    try directory.write(
      "{\"token\":\"\(String(repeating: "a1", count: 32))\",\(members)}\n", to: "log.ndjson")
    let page = try directory.report(["log.ndjson"])
    #expect(page.texts("span", "token", in: page.section("tokens")).count == 1)
    #expect(!page.html.contains("--records feedback"))
    try directory.write(feedback(tuples(1)), to: "dump.bin")
    #expect(
      try directory.report(["log.ndjson", "dump.bin"]).section("tokens").contains("--records feedback"))
  }

  @Test("a limit of 0 is possible; an excessive one is a usage error") func extremeLimits() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    let none = [
      "--max-tokens", "--max-places", "--max-streams", "--max-responses", "--max-repeated", "--max-inputs",
      "--max-files", "--max-doubtful", "--max-chains",
    ]
    let page = try directory.report(["dump.bin"] + none.flatMap { [$0, "0"] })
    let tokens = page.section("tokens")
    #expect(page.texts("p", "empty", in: tokens) == [] && page.texts("span", "token", in: tokens) == [])
    #expect(page.figures("p", "cut", in: tokens).first == ["19"])
    for option in none {
      #expect(try directory.apnsift("report", "dump.bin", option, "100001").code == 64)
      #expect(try directory.apnsift("report", "dump.bin", option, "-1").code == 64)
    }
  }

  @Test("a stream that is decoded takes the row of one that is not, in any order") func mostStreams() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let other = Repository.path(of: "Tests/Fixtures/captures/pcapplusplus/frag_http_req.pcap")
    for inputs in [[other, "dump.bin"], ["dump.bin", other]] {
      let rows = try directory.report(inputs + ["--max-streams", "1"]).section("streams")
      #expect(rows.contains("</strong> of dump.bin") && !rows.contains("</strong> of \(other)"))
    }
  }

  // MARK: - Errors and remarks

  @Test("an unreadable input gives exit code 2, and the page reports it") func missingInput() throws {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let page = try directory.report(["missing.bin", "dump.bin"], code: 2)
    #expect(page.figures("p", "alert", in: page.section("examined")) == [["1"]])
    #expect(
      page.texts("p", "message", in: page.section("findings")) == [
        "cannot be opened: No such file or directory"
      ])
    #expect(page.html.contains("class=\"verdict damaged\""))
  }

  @Test("--strict gives exit code 1 for an error, and the page is still written") func strict() throws {
    try directory.write(damagedDump(), to: "dump.bin")
    #expect(try directory.report(["--strict", "dump.bin"], code: 1).html.hasSuffix("</html>\n"))
  }

  @Test("remarks come from a file or are the text itself; blank lines separate paragraphs") func note() throws
  {
    try directory.write(feedback(tuples(2)), to: "dump.bin")
    try directory.write("First line\nof one.\r\n\r\n\r\nSecond <p>.\n", to: "note.txt")
    let expected = "<div class=\"note\"><p>First line of one.</p>\n<p>Second &lt;p&gt;.</p>\n</div>"
    #expect(try directory.report(["dump.bin", "--notes", "note.txt"]).html.contains(expected))
    let typed = try directory.apnsift("report", "dump.bin", "--notes", "nota.txt")
    #expect(typed.said("--notes: no file is named 'nota.txt'"))
    #expect(typed.text.contains("<div class=\"note\"><p>nota.txt</p>"))
  }
}
