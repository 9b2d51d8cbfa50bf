import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Sessions of a gateway: accepted and rejected requests, and requests to send again.
@Suite("A session of notifications, one of which is refused")
struct GatewaySessionTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  static let long = GatewaySession(10_000, refused: 5_000)
  static let short = GatewaySession(300, refused: 100)

  private func expect(_ session: GatewaySession, in exported: Exported, codes: [String] = []) throws {
    let requests = try exported.requests
    #expect(requests.count == session.pushes.count)
    let isSame = requests == session.requests()
    #expect(isSame, "\(Self.firstDifference(requests, session.requests()))")
    #expect(try exported.responses == [session.response()])
    #expect(exported.codes == codes)
    #expect(exported.outcome.code == 0, "\(exported.outcome.errors)")
  }

  private static func firstDifference(_ left: [ReportedRequest], _ right: [ReportedRequest]) -> String {
    zip(left, right).first { $0 != $1 }.map { "\($0.0) is not \($0.1)" } ?? "\(left.count), \(right.count)"
  }

  // MARK: - What becomes of them

  @Test(
    "accepted, rejected, discarded, and the list to send again with its payloads", arguments: [8, 1, 10, 255])
  func split(_ status: UInt8) throws {
    let session = GatewaySession(10_000, refused: 5_000, status: status)
    try directory.write(session.requestBytes, to: "sent.bin")
    try directory.write(session.responseBytes, to: "received.bin")
    let pair = ["--requests", "sent.bin", "--responses", "received.bin"]
    let resent = try directory.apnsift(
      ["export", "--records", "resend", "--columns", "offset,identifier,token,payload,outcome"] + pair)
    let rows = parseCSV(resent.text).dropFirst()
    #expect(rows.count == 4_999)
    let wanted = (5_001..<10_000).map { number in
      let push = session.pushes[number]
      return [
        "\(session.offsets[number])", push.identifier.map { "\($0)" } ?? "", hex(push.token),
        String(decoding: push.payload, as: UTF8.self), "discarded",
      ]
    }
    let isSame = Array(rows) == wanted
    #expect(isSame)
    let done = Message.closing(.exported(.requestsToResend(4_999), inputs: 2), [.noProblems])
    #expect(resent.messages.last == done.text)
    let all = try directory.apnsift(
      ["export", "--records", "requests", "--columns", "outcome,outcome_status"] + pair)
    let expected = session.requests().map { "\($0.outcome),\($0.status.map { "\($0)" } ?? "")" }
    let isSplit = Array(all.lines.dropFirst()) == expected
    #expect(isSplit)
    #expect(expected.count { $0 == "accepted," } == (status == 10 ? 5_001 : 5_000))
  }

  // MARK: - Wrappings

  static let sizes = [[37], [100], [1460], [1460, 1, 300, 37, 2]]

  @Test("10,000 notifications in segments of any size", arguments: sizes)
  func segments(_ sizes: [Int]) throws {
    var conversation = Self.long.conversation
    conversation.segmentSizes = sizes
    try expect(Self.long, in: try directory.export(conversation.segments()))
  }

  @Test("in segments of a few bytes", arguments: [1, 2, 7])
  func smallSegments(_ size: Int) throws {
    var conversation = Self.short.conversation
    conversation.segmentSizes = [size]
    try expect(Self.short, in: try directory.export(conversation.segments()))
  }

  typealias Change = @Sendable (Conversation) -> [Segment]

  static let changes: [(name: String, codes: [String], change: Change)] = [
    ("IPv6", [], { $0.overV6.segments() }),
    ("shuffled", [], { shuffled($0.segments().pinned) }),
    (
      "captured twice", [],
      {
        var generator = FixedGenerator(seed: 3)
        return $0.segments().duplicated(oneIn: 1, within: 9, using: &generator)
      }
    ),
    ("sent again much later", [], { $0.segments().retransmitting(everyNth: 2, after: 40) }),
    ("cut otherwise, with overlaps", [], { $0.segments().recut(every: 61, overlap: 30) }),
    ("without handshake", ["midstream-start", "midstream-start"], { $0.segments().withoutHandshake }),
    ("fragments", [], { $0.segments().fragmented(into: 256, .lastFirst) }),
    ("zero-window probes", [], { $0.segments().withZeroWindowProbes }),
  ]

  /// Within the turns of each side.
  private static func shuffled(_ segments: [[Segment]]) -> [Segment] {
    var generator = FixedGenerator(seed: 4)
    return segments.flatMap { $0.shuffled(within: 50, using: &generator) }
  }

  @Test("orders, copies, cuts", arguments: 0..<changes.count)
  func changed(_ number: Int) throws {
    let (_, codes, change) = Self.changes[number]
    try expect(Self.short, in: try directory.export(change(Self.short.conversation)), codes: codes)
  }

  @Test("pcapng, compressed, from a pipe")
  func containers() throws {
    let packets = FrameWriter(.sll2).packets(Self.short.conversation.segments())
    var writer = PcapngWriter()
    writer.sections = 3
    try directory.write(writer.file(packets), to: "capture.pcapng")
    try expect(Self.short, in: try directory.export("capture.pcapng"))
    try directory.write(try directory.tool("zstd", ["-q", "-c", "capture.pcapng"]), to: "compressed")
    let outcome = try directory.apnsift("export", "-t", "ndjson", "-", input: .file("compressed"))
    try expect(Self.short, in: Exported(objects: try Evidence.lines(outcome.text), outcome: outcome))
  }

  @Test("captured the other way round, the response comes before its request")
  func reversed() throws {
    let exported = try directory.export(Self.short.conversation.segments().reversed())
    // Of the requests, those after the response come before it now; none of them is the one that it names.
    #expect(try exported.requests == Self.short.unknownRequests())
    #expect(try exported.responses == [Self.short.uncorrelatedResponse()])
  }

  // MARK: - What is missing

  @Test("the client alone: outcomes are unknown")
  func clientAlone() throws {
    let conversation = Self.short.conversation
    let exported = try directory.export(conversation.segments().only(from: conversation.client))
    #expect(try exported.requests == Self.short.unknownRequests())
    #expect(exported.objects("response").isEmpty && exported.codes.isEmpty)
  }

  @Test("the server alone: the rejected requests are unknown")
  func serverAlone() throws {
    let conversation = Self.short.conversation
    let exported = try directory.export(conversation.segments().only(from: conversation.server))
    #expect(exported.objects("request").isEmpty)
    #expect(try exported.responses == [Self.short.uncorrelatedResponse()])
  }

  /// The requests that are entirely outside the segments that were lost.
  private func remaining(_ session: GatewaySession, _ rows: [ReportedRequest], lost: Range<Int>)
    -> [ReportedRequest]
  {
    zip(rows, session.offsets.dropFirst()).filter { row, end in
      end <= lost.lowerBound || row.offset >= lost.upperBound
    }.map(\.0)
  }

  /// The session without the client's bytes of one segment, which hold the one at `offset`.
  private func losing(_ offset: Int) throws -> (Exported, lost: Range<Int>) {
    let conversation = Self.short.conversation
    let segments = conversation.segments()
    var sent = 0
    for index in segments.indices where segments[index].source == conversation.client {
      let range = sent..<sent + segments[index].payload.count
      if range.contains(offset) { return (try directory.export(segments.dropping([index])), range) }
      sent = range.upperBound
    }
    throw UnknownPlace(offset: offset)
  }

  private struct UnknownPlace: Error { var offset: Int }

  @Test("a gap over the named request leaves the response uncorrelated, and all unknown")
  func gapOverNamed() throws {
    let session = Self.short
    let (exported, lost) = try losing(session.offsets[session.refused])
    #expect(try exported.requests == remaining(session, session.unknownRequests(), lost: lost))
    #expect(try exported.responses == [session.uncorrelatedResponse()])
    #expect(exported.findings("stream-gap").map { $0["offset"] as? Int } == [lost.lowerBound])
  }

  @Test("a gap next to the named request changes no outcome", arguments: [20, 150, 250])
  func gapBeside(_ number: Int) throws {
    let session = Self.short
    let (exported, lost) = try losing(session.offsets[number])
    #expect(try exported.requests == remaining(session, session.requests(), lost: lost))
    #expect(try exported.responses == [session.response()])
  }

  @Test("two sessions side by side have two verdicts")
  func interleaved() throws {
    let other = GatewaySession(300, refused: 202, status: 10, seed: 5000)
    var second = other.conversation
    second.client.port = 49_153
    second.start += 700_000
    let exported = try directory.export(
      .interleaved([Self.short.conversation.segments(), second.segments()]))
    let requests = Dictionary(grouping: try exported.requests, by: \.stream)
    #expect(requests[0] == Self.short.requests())
    #expect(requests[1] == other.requests(stream: 1))
    #expect(try Set(exported.responses) == [Self.short.response(), other.response(stream: 1)])
    #expect(exported.streams.map { $0["protocol"] as? String } == ["gateway", "gateway"])
  }

  // MARK: - Who is who

  static let roles: [(name: String, port: UInt16, handshake: Bool, options: [String])] = [
    ("by port, without handshake", 2195, false, []),
    ("by another port that is named", 443, false, ["--gateway-port", "443"]),
    ("by handshake and content", 443, true, []),
    ("by content", 443, false, []),
    ("said to be requests", 443, false, ["--protocol", "requests"]),
    ("said to be responses", 443, true, ["--protocol", "responses"]),
  ]

  @Test("roles are detected", arguments: 0..<roles.count)
  func rolesAreTold(_ number: Int) throws {
    let (name, port, handshake, options) = Self.roles[number]
    var conversation = Self.short.conversation
    conversation.server.port = port
    // By port numbers alone the client would be taken for the server.
    conversation.client.port = 300
    let segments = conversation.segments()
    try directory.writeCapture(handshake ? segments : segments.withoutHandshake)
    let outcome = try directory.apnsift(["export", "-t", "ndjson", "capture.pcap"] + options)
    let exported = Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
    try expect(Self.short, in: exported, codes: handshake ? [] : ["midstream-start", "midstream-start"])
    #expect(exported.streams.first?["server"] as? String == "192.0.2.20:\(port)", "\(name)")
  }
}

extension [Segment] {
  /// Cut where the sender of payload changes: what was said before the other's word stays before it.
  fileprivate var pinned: [[Segment]] {
    var parts: [[Segment]] = [[]]
    var sender: Host?
    for segment in self {
      if !segment.payload.isEmpty, segment.source != sender {
        sender = segment.source
        parts.append([])
      }
      parts[parts.count - 1].append(segment)
    }
    return parts
  }
}
