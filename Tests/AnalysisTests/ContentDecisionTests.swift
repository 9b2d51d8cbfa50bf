import APNsWire
import Analysis
import PacketCapture
import StreamInputs
import TestSupport
import Testing

/// What a direction carries is decided on its first bytes, however they arrive.
@Suite("The decision on a stream's content")
struct ContentDecisionTests {
  struct Opening: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var port: UInt16
    var isFromServer = false
    /// Bytes that are missing before it.
    var lost = 0
    var testDescription: String { "\(name), port \(port)" }
  }

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  private static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8)
  private static let frames = settings + ping + ping + ping

  /// Found by a fuzzer: a preface in the middle counted if it came with the first bytes, and not if it came after them.
  static let openings = [UInt16(2195), 2196, 443].flatMap { port in
    [
      Opening(name: "a preface after other bytes", bytes: Array("#text".utf8) + preface + frames, port: port),
      Opening(name: "a preface", bytes: preface + frames, port: port),
      Opening(
        name: "an upgrade", bytes: Array("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n".utf8) + preface + frames,
        port: port),
      Opening(name: "a word and no upgrade", bytes: Array("GETTING ".utf8) + preface + frames, port: port),
      Opening(name: "frames of a server", bytes: frames, port: port, isFromServer: true),
      Opening(name: "the middle of frames", bytes: ping.dropFirst(5) + frames, port: port, lost: 100),
      Opening(
        name: "the middle of a server's frames", bytes: ping.dropFirst(5) + frames + frames, port: port,
        isFromServer: true, lost: 100),
      Opening(
        name: "the middle of tuples", bytes: [7, 7] + (0..<40).flatMap { _ in Tuples.one() }, port: port,
        isFromServer: true, lost: 100),
      Opening(
        name: "an answer to an upgrade",
        bytes: Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n".utf8) + frames, port: port,
        isFromServer: true),
      Opening(
        name: "requests",
        bytes: (1...9).flatMap { GatewayBytes.request($0) } + [9] + GatewayBytes.request(10),
        port: port),
      Opening(name: "responses", bytes: GatewayBytes.response(8, 1), port: port, isFromServer: true),
      Opening(
        name: "tuples after noise",
        bytes: [UInt8](repeating: 0x41, count: 700) + (0..<40).flatMap { _ in Tuples.one() },
        port: port, isFromServer: true),
    ]
  }

  @Test("it does not depend on how the first bytes are cut", arguments: openings)
  func chunks(_ opening: Opening) throws {
    let whole = try analyse(opening, chunk: opening.bytes.count)
    for chunk in [1, 2, 3, 7, 23, 25, 100, 511, 513] {
      #expect(try analyse(opening, chunk: chunk) == whole, "chunks of \(chunk)")
    }
  }

  @Test(
    "the middle of an HTTP/2 connection is none of the old protocols, whatever its port",
    arguments: openings.filter { $0.lost > 0 })
  func middles(_ opening: Opening) throws {
    let isHTTP2 = try analyse(opening, chunk: 100).contains { $0.contains("StreamProtocol.http2") }
    #expect(isHTTP2 == opening.name.contains("frames"))
  }

  /// The stream and its findings, in words.
  private func analyse(_ opening: Opening, chunk: Int) throws -> [String] {
    let evidence = EvidenceRecording()
    let analyzer = Analyzer(AnalysisOptions(), sinks: [evidence])
    let identity = StreamIdentity(
      number: 0,
      peers: (
        Endpoint(address: IPAddress(v4: 1), port: 40_000),
        Endpoint(address: IPAddress(v4: 2), port: opening.port)
      ), server: .second, serverEvidence: .handshake)
    let direction = StreamDirection(stream: 0, side: opening.isFromServer ? .second : .first)
    try analyzer.analyse(identity) { analyzer in
      if opening.lost > 0 {
        try analyzer.gap(StreamGap(offset: 0, length: opening.lost, fileOffset: 0), in: direction)
      }
      for start in stride(from: 0, to: opening.bytes.count, by: chunk) {
        let bytes = Array(opening.bytes[start..<min(opening.bytes.count, start + chunk)])
        try analyzer.bytes(bytes, of: direction, at: opening.lost + start, fileOffset: start)
      }
    }
    let summary = analyzer.log.summary
    return evidence.findingTexts + evidence.records.map { "\($0)" } + evidence.streams.map { "\($0)" }
      + ["\(summary.gateway) \(summary.streamBytes) \(summary.undecodedBytes)"]
  }
}
