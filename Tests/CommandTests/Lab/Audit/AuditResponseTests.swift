import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// `audit` of error responses, which one faulty reader reads.
@Suite("Readers of error responses")
struct AuditResponseTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private static let request = Push(0, nil, token: token(1)).bytes
  private static let error = refusal(8, 0x0102_0304)

  /// A gateway connection whose error arrives in segments of `sizes`.
  private static func gateway(_ sizes: [Int]) -> Conversation {
    var conversation = Conversation([.init(.client, request), .init(.server, error)])
    conversation.server = .v4(20, port: 2195)
    conversation.segmentSizes = [1400] + sizes
    return conversation
  }

  @Test(
    "an error that arrives in parts is missed",
    arguments: [([6], "1 1 0 0 completed"), ([2, 4], "0 0 0 1 completed"), ([5, 1], "0 0 0 1 completed")])
  func errorInParts(_ sizes: [Int], _ expected: String) throws {
    try directory.writeCapture(Self.gateway(sizes).segments())
    let rows = try directory.auditRows(["capture.pcap"])
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row["name"] as? String == "php")
    #expect(try AuditReading(row).text == expected)
    if sizes.count > 1 {
      #expect(try firstDifference(row)["expected"] as? String == "8,16909060")
      #expect(try firstDifference(row)["emitted"] is Null)
    }
  }

  @Test("only the first error is read, and its command is not checked")
  func laterErrors() throws {
    try directory.write(Self.error + refusal(10, 7), to: "two.bin")
    let two = try directory.auditRow("php", ["--protocol", "responses", "two.bin"])
    #expect(try AuditReading(two) == AuditReading("1 1 0 1 completed", 1))
    try directory.write([1, 2, 3, 4, 5, 6] + Self.error, to: "noise.bin")
    let noise = try directory.auditRow("php", ["--protocol", "responses", "noise.bin"])
    #expect(try AuditReading(noise) == AuditReading("1 0 1 1 completed", 0))
    #expect(try firstDifference(noise)["emitted"] as? String == "2,50595078")
  }

  @Test("two dumps are one gateway connection; a silent gateway has no row")
  func pairs() throws {
    try directory.write(Self.request, to: "sent.bin")
    try directory.write(Self.error, to: "received.bin")
    let rows = try directory.auditRows(["--requests", "sent.bin", "--responses", "received.bin"])
    #expect(try rows.map { try AuditReading($0).text } == ["1 1 0 0 completed"])
    var silent = Self.gateway([6])
    silent.turns.removeLast()
    try directory.writeCapture(silent.segments())
    #expect(try directory.auditRows(["capture.pcap"]).isEmpty)
  }

  @Test("the recorded gateway: one error whole, one in two segments, and silence")
  func recordedGateway() throws {
    let sample = Repository.path(of: "samples/captures/gateway.pcap")
    let rows = try directory.auditRows([sample])
    #expect(rows.compactMap { $0["stream"] as? Int } == [0, 1])
    #expect(try rows.map { try AuditReading($0).text } == ["1 1 0 0 completed", "0 0 0 1 completed"])
    #expect(try firstDifference(rows[1])["reason"] as? String == Message.errorInParts([2, 4]).text)
  }
}
