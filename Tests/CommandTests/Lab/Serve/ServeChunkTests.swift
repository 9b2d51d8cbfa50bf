import CommandTestSupport
import Testing

/// `serve`, read by clients that are not ours: what they get is what `export -t raw` writes, or what the capture was
/// made from, in the chunks that were captured or asked for.
@Suite("Serving chunks") struct ServeChunkTests {
  private let directory = TestDirectory()

  @Test("a client reads what export writes, in the captured chunks") func captured() throws {
    try directory.writeCapture(ServedFeedback.conversation().segments())
    try #require(try directory.apnsift("export", "-t", "raw", "-o", "raw", "capture.pcap").code == 0)
    let (read, outcome) = try directory.serveOnce("capture.pcap")
    #expect(read.text == hex(try directory.bytes(of: "raw/stream-0-b.raw")))
    #expect(read.text == hex(ServedFeedback.bytes))
    #expect(read.sizes == ServedFeedback.cut(ServedFeedback.sizes))
    #expect(read.end == "end" && outcome.code == 0)
    #expect(outcome.messages.last == "served 1 stream to 1 client, 760 bytes; no problems found")
  }

  static let chunks: [(options: [String], sizes: [Int])] = [
    ([], [4096]), (["--chunk-size", "7"], [7]), (["--chunk-size", "100000"], [100_000]),
    (["--chunk-sizes", "sizes.txt"], [1, 37, 100]),
  ]

  @Test("a dump comes in the chunks that were asked for", arguments: chunks, [false, true])
  func dump(_ chunks: (options: [String], sizes: [Int]), isTLS: Bool) throws {
    let bytes = feedback(tuples(300))
    try directory.write(bytes, to: "dump.bin")
    try directory.write("1\n37\n100\n", to: "sizes.txt")
    let tls = isTLS ? ["--tls", "--write-certificate", "server.pem"] : []
    let server = try directory.serve(["dump.bin", "--once"] + chunks.options + tls)
    let read = try directory.read(from: server, trusting: isTLS ? "server.pem" : nil)
    #expect(read.text == hex(bytes) && read.version == (isTLS ? "TLSv1.3" : nil))
    // Python's ssl returns a record at a time, and a record holds no more than 16 KiB.
    let sizes = isTLS ? chunks.sizes.map { min($0, 16384) } : chunks.sizes
    #expect(read.sizes == ServedFeedback.cut(sizes, count: bytes.count))
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("each client gets the next size of chunks") func everyChunking() throws {
    let bytes = feedback(tuples(2))
    try directory.write(bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin", "--every-chunking", "--once")
    for size in 1...80 {
      let read = try directory.read(from: server)
      #expect(read.sizes == ServedFeedback.cut([size], count: bytes.count), "size \(size)")
      #expect(read.text == hex(bytes))
    }
    let outcome = try server.end(by: nil).exits(0)
    #expect(outcome.messages.last == "served 1 stream to 80 clients, 6080 bytes; no problems found")
  }

  @Test("the captured pace changes no byte and no chunk") func pace() throws {
    try directory.writeCapture(ServedFeedback.conversation().segments())
    let read = try directory.read(from: try directory.serve("capture.pcap", "--pace", "1000"))
    #expect(read.text == hex(ServedFeedback.bytes) && read.sizes == ServedFeedback.cut(ServedFeedback.sizes))
  }
}
