import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Streams on which `audit` judges no reader.
@Suite("Streams that are not judged")
struct AuditNotJudgedTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("a stream with a gap is not judged, with a reason")
  func gaps() throws {
    var conversation = Conversation(serverSends: feedback(tuples(20)))
    conversation.segmentSizes = [76]
    let segments = conversation.segments()
    try directory.writeCapture(segments.dropping([segments.dataIndices[3]]))
    for row in try directory.auditRows(["capture.pcap"]) {
      #expect(try AuditReading(row) == AuditReading("- - - - not-judged", nil))
      for key in ["records", "correct", "wrong", "missed", "first_difference"] { #expect(row[key] is Null) }
    }
    #expect(try directory.auditRows(["capture.pcap"]).count == 4)
    #expect(try directory.auditRows(["capture.pcap", "--every-chunking"]).count == 320)
    let text = try directory.apnsift("audit", "capture.pcap")
    #expect(
      text.text.contains(
        Message.notJudged("the input is missing 76 bytes of the stream that the reader received").text))
    let audited = Message.audited(inputs: 1, streams: 1, readings: .readingsRight(0, of: 0, notJudged: 4))
    #expect(text.messages.last?.hasPrefix(audited.text) == true)
  }

  @Test("a capture that begins inside a tuple is not judged; one that begins with a tuple is")
  func midstream() throws {
    let bytes = feedback(tuples(6))
    for (lost, isJudged) in [(38, true), (20, false)] {
      var conversation = Conversation(serverSends: Array(bytes.dropFirst(lost)))
      conversation.segmentSizes = [38]
      try directory.writeCapture(conversation.segments().filter { !$0.payload.isEmpty })
      let row = try directory.auditRow("java", ["capture.pcap"])
      #expect(try AuditReading(row).text == (isJudged ? "5 5 0 0 completed" : "- - - - not-judged"))
    }
  }

  @Test("a stream that takes more than --memory is not judged, and a message names it")
  func memory() throws {
    try directory.write(feedback(tuples(1000)), to: "dump.bin")
    let outcome = try directory.apnsift("audit", "dump.bin", "--memory", "30000")
    #expect(outcome.code == 0)
    #expect(
      outcome.said(
        .openStreamsTooLarge("dump.bin", stream: 0, memory: 30000, option: "--memory", isLast: false)))
    #expect(outcome.text.contains("not-judged"))
    #expect(
      try AuditReading(directory.auditRow("csharp", ["dump.bin", "--memory", "40000"])).text
        == "1000 1000 0 0 completed")
  }

  @Test("other streams have no rows but a message")
  func otherStreams() throws {
    try directory.write([0x16, 3, 1] + [UInt8](repeating: 7, count: 500), to: "tls.bin")
    let outcome = try directory.apnsift("audit", "tls.bin")
    #expect(outcome.code == 0)
    #expect(outcome.text.isEmpty)
    #expect(outcome.messages.first == "nothing to audit: no feedback stream and no error responses")
    #expect(try directory.auditRows(["tls.bin"]).isEmpty)
    #expect(try directory.apnsift("audit", "--strict", "tls.bin").code == 1)
  }
}
