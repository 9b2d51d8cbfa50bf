import Analysis
import EvidenceReport
import Testing

/// Golden tests of the texts that every page has, or every page of a kind.
@Suite("Standing texts of a page")
struct StandingTextTests {
  static let general: [PageSentence] = [
    PageSentence("Evidence report"),
    PageSentence(
      "These results come from fixed rules; their limits are described under What this report "
        + "cannot show."),
    PageSentence(
      "Redacted. Every token, every address of a connection, and every host name and name in a certificate is "
        + "replaced by a pseudonym, and every byte that is or may be part of a token by ··. Messages that could "
        + "quote bytes are left out. The fingerprints (SHA-256) are those of the original files."
    ) { $0.head.isRedacted = true },
    PageSentence(
      "Messages that could quote bytes are left out. A name, a title or a remark contained text that looks like a "
        + "token or an address; that text is masked. The fingerprints (SHA-256) are those of the original files."
    ) { ($0.head.isRedacted, $0.head.hasMaskedText) = (true, true) },
    PageSentence(
      "With the same files and options, the same version of the tool produces the same report, "
        + "byte for byte."),
    PageSentence("Made with apnsift 1.2.3. The page needs no network access and runs no scripts."),
    PageSentence("apnsift 1.2.3"),
  ]

  @Test("of every page", arguments: general)
  func generalText(_ sentence: PageSentence) { sentence.expect() }

  static let empty: [PageSentence] = [
    PageSentence("No record without a flag reports an invalidated token, so there is no chart."),
    PageSentence("There are no streams."),
    PageSentence("There are no findings."),
    PageSentence("No record carries a flag."),
    PageSentence(
      "No feedback tuple or error response was recognised in any stream, so the readers could not"
        + " be tested."),
    PageSentence("No token appears in more than one record."),
    PageSentence("No record without a flag reports an invalidated token."),
  ]

  @Test("of empty sections", arguments: empty)
  func emptyText(_ sentence: PageSentence) { sentence.expect() }

  static let sections: [PageSentence] = [
    PageSentence(
      "A finding describes a problem at one location. An error means that bytes were lost or "
        + "cannot be read. A warning means that data were read but are in doubt. A note is for "
        + "information."
    ) { $0.findings = [FindingGroup(code: .skippedBytes, count: 1, examples: [])] },
    PageSentence(
      "Most programs that read this protocol were copied from a few published articles with known"
        + " faults. This section shows what programs based on some of these articles (readers) would "
        + "have reported if they had received the same bytes, cut into chunks of 9 bytes. It helps to"
        + " assess old lists of tokens that such a program wrote."
    ) { ($0.readers, $0.chunks) = ([ReaderTotal("java")], "chunks of 9 bytes") },
    PageSentence("The results for each stream:") { $0.readers = [ReaderTotal("java")] },
    PageSentence(
      "A record without a flag starts where a record should, has a normal length and a plausible "
        + "time, and what follows it can begin another record, or nothing follows. That is not proof. "
        + "No rule can detect:"),
    PageSentence("Bits changed inside a token or a time. The result looks like any other record."),
    PageSentence(
      "Whole records that were lost. The records before and after the loss appear to be "
        + "consecutive."),
    PageSentence(
      "A loss of exactly one record’s length across a boundary. It joins the beginning of one "
        + "record to the end of another. The result looks complete, but is made of two."),
    PageSentence(
      "Bytes inserted into or lost from the last record before an end. What follows it is too short to show that "
        + "its token is shifted."),
    PageSentence(
      "Data that are not in the inputs: other connections, other days, anything that the service "
        + "did not report."),
    PageSentence(
      "Nor can this report show whether a device is active today. A fingerprint taken when a file"
        + " was saved proves more than any rule: compare it with the one under Examined inputs."),
  ]

  @Test("that introduce a section", arguments: sections)
  func sectionsText(_ sentence: PageSentence) { sentence.expect() }

  static let habits: [PageSentence] = [
    PageSentence(
      "Written in Objective-C. It reads 38 bytes at a time into one buffer and ignores how many "
        + "arrived. A short read therefore counts as a record, whose end is left over from the one "
        + "before."
    ) { $0.readers = [ReaderTotal("cookbook")] },
    PageSentence(
      "Written in C#. It collects bytes and extracts a record as soon as 38 have arrived, so it "
        + "never sees a shorter record at the end."
    ) { $0.readers = [ReaderTotal("csharp")] },
    PageSentence(
      "Written in JavaScript. It misreads the length of a token, so tokens come out empty and "
        + "everything after the first record is misread."
    ) { $0.readers = [ReaderTotal("node")] },
    PageSentence(
      "Written in Java. It reads 38 bytes at a time and ignores how many arrived. A short read "
        + "therefore counts as a record that ends in zeros."
    ) { $0.readers = [ReaderTotal("java")] },
    PageSentence(
      "Written in PHP. It checks once for an error response, without waiting, and misses one that"
        + " arrives in two parts."
    ) { $0.readers = [ReaderTotal("php")] },
  ]

  @Test("of the readers", arguments: habits)
  func habitsText(_ sentence: PageSentence) { sentence.expect() }

  static let terms: [(term: String, meaning: String)] = [
    (
      "Capture",
      "A file with the packets that crossed a network, each with its time. Streams are "
        + "reassembled from the packets."
    ),
    (
      "Device token, token",
      "The number, usually of 32 bytes (64 hex digits), that addresses one app on one device. It "
        + "names no person, but anyone with a list of users and their tokens can find out whose "
        + "device it is."
    ),
    (
      "Direction",
      "The bytes sent by one side of a connection: the client, or the server (Apple's service)."
    ),
    ("Dump", "A file with the bytes that a program received or sent, unchanged."),
    (
      "Error response",
      "The one message that a gateway sent before it closed a connection. It says which request "
        + "failed, and why."
    ),
    (
      "Feedback tuple",
      "The record in which the feedback service reports one invalidated token: a time, a length "
        + "and the token."
    ),
    ("Finding", "A problem at one location in the input: bytes are missing there, or cannot be read."),
    (
      "Flag",
      "A reason to doubt a record that was read. A record with a flag is doubtful, and does not count "
        + "as an invalidation."
    ),
    ("Gap", "Bytes that were sent but are known to be missing from the input. Offsets include them."),
    (
      "Gateway",
      "Apple's server that received notifications. It sent nothing on success; see error "
        + "response."
    ),
    ("Hex", "A notation for bytes: each byte is written as two of the digits 0 to 9 and a to f."),
    (
      "Invalidation",
      "The report by Apple's service that an app has not been on a device since a given time. "
        + "From then on, notifications to its token do not arrive, unless the device registers again."
    ),
    (
      "Offset",
      "The position of a byte: the number of bytes before it in its direction of the stream. The "
        + "first byte has offset 0."
    ),
    (
      "Outcome",
      "The fate of a request. Accepted: sent before the request that failed. Rejected: the "
        + "request that failed. Discarded: sent after it, and not processed. Unknown: no error "
        + "response decides it, and silence proves nothing."
    ),
    (
      "Pseudonym",
      "A name, device- followed by 16 digits, that replaces a token in this report. It is "
        + "computed from the token and a secret key: the same token has the same pseudonym in every "
        + "report made with that key. Without the key, the token cannot be recovered."
    ),
    ("Reader", "A program that reads the records of a stream. This report tests a few with known faults."),
    (
      "Record", "A feedback tuple, a request, an error response or a push: the unit of which streams consist."
    ),
    ("Request", "A notification sent to the gateway: the token it is for, and the message."),
    (
      "SHA-256",
      "A fingerprint of a file, 64 hex digits. No two different files with the same SHA-256 are "
        + "known, and there is no practical way to make them. So anyone with the file can check that "
        + "it is the one that was examined."
    ),
    ("Stream", "One connection between a client and a server, or the content of one dump."),
    (
      "UTC",
      "Coordinated Universal Time, the world's standard time, without summer time. All times here"
        + " are UTC, except those with an offset."
    ),
  ]

  @Test("the glossary explains its terms in order")
  func glossary() throws {
    var page = ReportPage(ReportHead(title: "A title", version: "1.2.3"))
    for isRedacted in [false, true] {
      page.head.isRedacted = isRedacted
      let html = ReportHTML.text(page)
      let start = try #require(html.firstRange(of: "<dl class=\"glossary\">"))
      let rest = html[start.upperBound...]
      let list = rest[..<(try #require(rest.firstRange(of: "</dl>"))).lowerBound]
      let entries = list.matches(of: /<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/).map { entry in
        [entry.output.1, entry.output.2].map { String($0).replacing("&#39;", with: "'") }
      }
      let expected = Self.terms.filter { isRedacted || $0.term != "Pseudonym" }.map { [$0.term, $0.meaning] }
      #expect(entries == expected)
    }
  }
}
