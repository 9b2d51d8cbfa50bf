import CaptureWriting
import CommandTestSupport
import Testing

/// The chunks that the readers of `audit` receive.
@Suite("Chunks of readers")
struct AuditChunkTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("a segment of a capture is a chunk, without retransmitted bytes")
  func segments() throws {
    var conversation = Conversation(serverSends: feedback(tuples(4)))
    conversation.segmentSizes = [38, 20, 18]
    var segments = conversation.segments()
    // Reads of 38, 20, 18, 38, 20, 18: tuples 0 and 2 whole.
    let expected = AuditReading("6 2 4 2 completed", 1)
    try directory.writeCapture(segments)
    #expect(try AuditReading(directory.auditRow("java", ["capture.pcap"])) == expected)
    let data = segments.dataIndices
    segments.insert(segments[data[1]], at: data[2])
    segments.swapAt(data[0], data[0] + 1)
    try directory.writeCapture(segments)
    #expect(try AuditReading(directory.auditRow("java", ["capture.pcap"])) == expected)
    #expect(
      try AuditReading(directory.auditRow("java", ["capture.pcap", "--chunk-size", "38"])).text
        == "4 4 0 0 completed")
    try directory.write(feedback(tuples(4)), to: "dump.bin")
    #expect(
      try AuditReading(
        directory.auditRow("java", ["dump.bin", "--chunk-sizes", directory.writeSizes([38, 20, 18])]))
        == expected)
    #expect(try AuditReading(directory.auditRow("java", ["dump.bin"])).text == "4 4 0 0 completed")
  }

  @Test("a single segment is one chunk; a dump is cut at 4096 bytes")
  func oneSegment() throws {
    var conversation = Conversation(serverSends: feedback(tuples(200)))
    conversation.segmentSizes = [7600]
    try directory.writeCapture(conversation.segments())
    #expect(try AuditReading(directory.auditRow("java", ["capture.pcap"])).text == "200 200 0 0 completed")
    // 4096 bytes are 107 tuples and 30 bytes; the other 3504 are 92 reads and 8 bytes, all misaligned.
    try directory.write(feedback(tuples(200)), to: "dump.bin")
    #expect(try AuditReading(directory.auditRow("java", ["dump.bin"])).text == "201 107 94 93 completed")
  }

  @Test("every size of chunks from 1 to 80 has its row")
  func everyChunking() throws {
    try directory.write(feedback(tuples(5)), to: "dump.bin")
    let rows = try directory.auditRows(["dump.bin", "--every-chunking"])
    for name in ["cookbook", "csharp", "node", "java"] {
      let ofReader = rows.filter { $0["name"] as? String == name }
      #expect(ofReader.compactMap { $0["chunk_size"] as? Int } == Array(1...80))
      let right = ofReader.filter { $0["first_difference"] is Null }.compactMap { $0["chunk_size"] as? Int }
      let expected = ["cookbook": [38, 76], "java": [38, 76], "csharp": Array(1...80)]
      #expect(right == expected[name, default: []], "\(name)")
      for size in [7, 38, 80] {
        let alone = try directory.auditRow(name, ["dump.bin", "--chunk-size", "\(size)"])
        #expect(try AuditReading(alone) == AuditReading(ofReader[size - 1]), "\(name) \(size)")
      }
    }
    let text = try directory.apnsift("audit", "dump.bin", "--every-chunking").lines
    #expect(text.contains("dump.bin       0  cookbook  38, 76                 1  completed"), "\(text)")
    #expect(text.contains("dump.bin       0  csharp    1-80                   -  completed"))
    #expect(text.count < 25)
  }
}
