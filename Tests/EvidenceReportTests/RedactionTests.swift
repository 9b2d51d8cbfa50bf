import Analysis
import Basics
import Conformance
import EvidenceReport
import PacketCapture
import PushTestSupport
import TestSupport
import Testing

@Suite("Redaction of a page")
struct RedactionTests {
  private static let key = [UInt8](repeating: 7, count: 16)
  private static let token = "09fca0aa5d7e4f3b8c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b"
  private static let name = "dump-\(token).bin"

  /// A page with the token in all its texts.
  private func page() -> ReportPage {
    let (token, name) = (Self.token, Self.name)
    var head = ReportHead(title: name, version: "1.2.3")
    (head.caseName, head.examiner, head.note) = (name, name, [name, name])
    head.options = [ReportOption("--keys", name, isDefault: false)]
    var page = ReportPage(head)
    page.inputs = [InputSummary(source: name, format: "raw", bytes: 380, sha256: "00ff")]
    page.inputs[0].sameBytesAs = name
    page.streams = [stream()]
    let location = RecordLocation(source: name, stream: 0, offset: 0)
    var record = FlaggedRecord(.feedback, at: location, flags: ["resynchronised"])
    (record.token, record.time) = (token, 0x09fc_a0aa)
    page.flaggedRecords = [record]
    var chain = RecoveredChain(.binary, at: location)
    chain.times = 0x09fc_a0aa...0x09fc_a0aa
    (page.chains, page.chainCount) = ([chain], 1)
    var row = Invalidations.Row(token: token, time: 7, countedRecords: 1, records: 2, length: 32)
    (row.location, row.firstLocation) = (location, location)
    (page.invalidations.repeated, page.invalidations.doubtfulRows) = ([row], [row])
    page.tokens = (try? lines()) ?? []
    var response = GatewayRows.Response(at: location)
    (response.token, response.status, response.identifier) = (token, 8, 0x09fc_a0aa)
    page.gateway.responses = [response]
    page.readers = [reader()]
    page.findings = [FindingGroup(code: .skippedBytes, count: 1, examples: [finding()])]
    return page
  }

  /// A token with two records of different times, and the token in its topic.
  private func lines() throws -> [TokenLine] {
    let sightings = TokenSightings(memory: 1 << 20, temporaryDirectory: "/tmp", now: .max)
    let token = try #require(Hex.bytes(Self.token))
    let dated = SamplePush.invalidated(token, at: 1_500_000_000_000, topic: Self.name)
    try sightings.add([dated, .invalidated(token, at: 1_600_000_000_000)], source: Self.name)
    var lines: [TokenLine] = []
    try sightings.visit { lines.append(TokenLine($0.withUnsafeBytes { Array($0) }, $1, input: 0)) }
    return lines
  }

  private func stream() -> StreamSummary {
    var stream = StreamSummary(source: Self.name, number: 0, streamProtocol: .feedback)
    (stream.client, stream.server) = (Self.name, Self.name)
    var encryption = StreamEncryption()
    for text in [
      \StreamEncryption.serverName, \.applicationProtocol, \.keyFile, \.serverSubject, \.clientSubject,
      \.clientUserID,
    ] { encryption[keyPath: text] = Self.name }
    stream.encryption = encryption
    return stream
  }

  private func reader() -> ReaderTotal {
    var reader = ReaderTotal("java")
    reader.source = Self.name
    reader.difference = FirstDifference(
      record: 0, expected: "7,\(Self.token)", emitted: "8,\(Self.token)", reason: .verbatim(Self.name))
    return reader
  }

  private func finding() -> FindingExample {
    let finding = Finding(source: Self.name, stream: 0, code: .skippedBytes, message: .verbatim(Self.name))
    let kinds: [HexSegment.Kind] = [.finding, .time, .length, .token, .other]
    var bytes = kinds.map { HexSegment.Byte(0x5d, $0) }
    bytes.append(HexSegment.Byte(0x20, .length, isOfNoToken: true))
    return FindingExample(
      finding, bytes: [HexSegment(offset: 0, bytes: bytes)], command: "apnsift show \(Self.name)")
  }

  /// The texts in a value, at any depth.
  private func texts(in value: Any) -> [String] {
    if let text = value as? String { return [text] }
    // It has many counts, and no text.
    if value is TimeHistogram { return [] }
    return Mirror(reflecting: value).children.flatMap { texts(in: $0.value) }
  }

  private func redacted(_ change: (inout ReportPage) -> Void = { _ in }) throws -> ReportPage {
    var page = page()
    change(&page)
    try Redaction.redact(&page, key: Self.key)
    return page
  }

  @Test("no text of a redacted page has a part of a token")
  func texts() throws {
    let isLeak = { (text: String) in text.contains("09fca0aa") }
    #expect(texts(in: page()).count(where: isLeak) == 39)
    #expect(isLeak(ReportHTML.text(page())))
    let redacted = try redacted()
    #expect(texts(in: redacted).filter(isLeak) == [])
    #expect(!isLeak(ReportHTML.text(redacted)))
  }

  @Test("a token has the same pseudonym everywhere")
  func pseudonyms() throws {
    let page = try redacted()
    let rows = page.invalidations.repeated + page.invalidations.doubtfulRows
    #expect(page.tokens.count == 1)
    let names = Set(
      rows.map(\.token) + page.tokens.map(\.token)
        + [page.flaggedRecords[0].token, page.gateway.responses[0].token].compactMap { $0 })
    #expect(names.count == 1 && names.allSatisfy { $0.wholeMatch(of: /device-[0-9a-f]{16}/) != nil })
    #expect(page.head.isRedacted && page.head.hasMaskedText)
  }

  @Test("numbers and bytes that may be of a token are removed")
  func bytes() throws {
    let page = try redacted()
    #expect(page.flaggedRecords[0].time == nil)
    #expect(page.gateway.responses[0].status == nil && page.gateway.responses[0].identifier == nil)
    let bytes = page.findings[0].examples[0].bytes[0].bytes.map(\.value)
    #expect(bytes == [nil, nil, nil, nil, nil, 0x20])
  }

  @Test(
    "an address has one pseudonym on both sides, and its port stays",
    arguments: [
      ("192.168.100.200:21966", ":21966"), ("[2001:db8::6666]:2196", ":2196"), ("push.example.com", ""),
      ("2001:db8::17", ":17"), ("", ""),
    ])
  func peers(_ peer: String, _ port: String) throws {
    let page = try redacted { ($0.streams[0].client, $0.streams[0].server) = (peer, peer) }
    let client = try #require(page.streams[0].client)
    #expect(client.hasSuffix(port) && client == page.streams[0].server)
    #expect(client.dropLast(port.count).wholeMatch(of: /address-[0-9a-f]{16}/) != nil)
  }

  @Test("host names and names in certificates have pseudonyms")
  func names() throws {
    let encryption = try #require(try redacted().streams[0].encryption)
    #expect(encryption.serverName?.wholeMatch(of: /host-[0-9a-f]{16}/) != nil)
    let names = Set([encryption.serverSubject, encryption.clientSubject, encryption.clientUserID])
    #expect(names.count == 1)
    #expect(names.first??.wholeMatch(of: /name-[0-9a-f]{16}/) != nil)
  }

  @Test(
    "addresses in remarks are masked, and times and versions are not",
    arguments: Fixtures.rows("addresses in remarks", in: "page-texts") as [(String, String?)])
  func addresses(_ text: String, _ masked: String?) throws {
    #expect(try redacted { $0.head.note = [text] }.head.note == [masked ?? text])
  }
}
