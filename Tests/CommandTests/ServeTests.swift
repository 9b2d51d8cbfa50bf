import CaptureWriting
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `serve`, read by clients that are not ours: what they get is what `export -t raw` writes, or what the capture was
/// made from.
@Suite("Serving")
struct ServeTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  // MARK: - Support

  private static let sizes = [38, 1, 75, 400, 14]
  private static let bytes = feedback(tuples(20))

  /// Tuples number 0 to `count` - 1.
  private static func tuples(_ count: Int) -> [Tuple] {
    (0..<count).map { Tuple(1_400_000_000 + 60 * UInt32($0), token($0)) }
  }

  /// A feedback connection in segments of `sizes`, used in turn.
  private static func conversation(_ sizes: [Int] = sizes, client: UInt8 = 10) -> Conversation {
    var conversation = Conversation(serverSends: bytes)
    conversation.segmentSizes = sizes
    conversation.client = .v4(client, port: 49_152)
    return conversation
  }

  /// The sizes of the chunks of `bytes` that `sizes`, in turn, make.
  private static func cut(_ sizes: [Int], count: Int = bytes.count) -> [Int] {
    var rest = count
    var made: [Int] = []
    while rest > 0 {
      made.append(min(rest, sizes[made.count % sizes.count]))
      rest -= made[made.count - 1]
    }
    return made
  }

  private func writeCapture(_ segments: [Segment], _ name: String = "capture.pcap") throws {
    try directory.write(PcapWriter().file(FrameWriter().packets(segments)), to: name)
  }

  private func serve(_ arguments: String...) throws -> RunningServer {
    try RunningServer(arguments, in: directory)
  }

  // MARK: - Bytes and chunks

  @Test("a client reads what export writes, in the captured chunks")
  func captured() throws {
    try writeCapture(Self.conversation().segments())
    try #require(try directory.apnsift("export", "-t", "raw", "-o", "raw", "capture.pcap").code == 0)
    let server = try serve("capture.pcap", "--once")
    let read = try directory.read(from: server)
    #expect(read.text == hex(try directory.bytes(of: "raw/stream-0-b.raw")))
    #expect(read.text == hex(Self.bytes))
    #expect(read.sizes == Self.cut(Self.sizes))
    #expect(read.end == "end")
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.messages.last == "served 1 stream to 1 client, 760 bytes; nothing wrong with it")
  }

  /// Recorded from real sockets: 300 tuples, none, and 40 (samples/README.md).
  @Test("a real capture is served as it was")
  func realCapture() throws {
    let sample = AuditTests.Fixtures.root.appendingPathComponent("samples/captures/session.pcap").path
    try #require(try directory.apnsift("export", "-t", "raw", "-o", "raw", sample).code == 0)
    let server = try serve(sample, "--once")
    for stream in 0..<3 {
      let names = try directory.names(in: "raw").filter { $0.hasPrefix("stream-\(stream)-") }
      let bytes = try names.map { try directory.bytes(of: "raw/\($0)") }.first ?? []
      #expect(try directory.read(from: server).text == hex(bytes), "stream \(stream)")
    }
    #expect(try server.end(by: nil).code == 0)
  }

  struct Chunks: Sendable, CustomTestStringConvertible {
    var testDescription: String { options.joined(separator: " ") }
    var options: [String]
    var sizes: [Int]
  }

  static let chunks = [
    Chunks(options: [], sizes: [4096]),
    Chunks(options: ["--chunk-size", "7"], sizes: [7]),
    Chunks(options: ["--chunk-size", "100000"], sizes: [100_000]),
    Chunks(options: ["--chunk-sizes", "sizes.txt"], sizes: [1, 37, 100]),
  ]

  @Test("a dump comes in the chunks that were asked for", arguments: chunks, [false, true])
  func dump(_ chunks: Chunks, isTLS: Bool) throws {
    let bytes = feedback(Self.tuples(300))
    try directory.write(bytes, to: "dump.bin")
    try directory.write("1\n37\n100\n", to: "sizes.txt")
    let tls = isTLS ? ["--tls", "--write-certificate", "server.pem"] : []
    let server = try RunningServer(["dump.bin", "--once"] + chunks.options + tls, in: directory)
    let read = try directory.read(from: server, trusting: isTLS ? "server.pem" : nil)
    #expect(read.text == hex(bytes))
    // Python's ssl returns a record at a time, and a record holds no more than 16 KiB.
    #expect(
      read.sizes == Self.cut(isTLS ? chunks.sizes.map { min($0, 16384) } : chunks.sizes, count: bytes.count))
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("each client gets the next size of chunks")
  func everyChunking() throws {
    let bytes = feedback(Self.tuples(2))
    try directory.write(bytes, to: "dump.bin")
    let server = try serve("dump.bin", "--every-chunking", "--once")
    for size in 1...80 {
      let read = try directory.read(from: server)
      #expect(read.sizes == Self.cut([size], count: bytes.count), "size \(size)")
      #expect(read.text == hex(bytes))
    }
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 0)
    #expect(outcome.messages.last == "served 1 stream to 80 clients, 6080 bytes; nothing wrong with it")
  }

  @Test("the captured pace changes no byte and no chunk")
  func pace() throws {
    try writeCapture(Self.conversation().segments())
    let read = try directory.read(from: try serve("capture.pcap", "--pace", "1000"))
    #expect(read.text == hex(Self.bytes) && read.sizes == Self.cut(Self.sizes))
  }

  // MARK: - Which streams

  /// Two feedback connections, the second of 38 bytes a segment.
  private func writeTwo() throws {
    try writeCapture(Self.conversation([100]).segments() + Self.conversation([38], client: 11).segments())
  }

  @Test("clients get the streams in turn, and again from the top")
  func turns() throws {
    try writeTwo()
    let server = try serve("capture.pcap")
    let sizes = try (0..<3).map { _ in try directory.read(from: server).sizes.first }
    #expect(sizes == [100, 38, 100])
    let outcome = try server.end()
    #expect(outcome.code == 0)
    #expect(outcome.messages.last == "served 2 streams to 3 clients, 2280 bytes; nothing wrong with it")
  }

  @Test("one stream alone")
  func oneStream() throws {
    try writeTwo()
    let server = try serve("capture.pcap", "--stream", "1", "--once")
    #expect(try directory.read(from: server).sizes.first == 38)
    #expect(try server.end(by: nil).code == 0)
    let none = try directory.apnsift("serve", "capture.pcap", "--stream", "2", "--port", "0")
    #expect(none.code == 2)
    #expect(none.messages.last?.contains("no input has a stream 2") == true)
  }

  @Test("a stream with gaps is not served, and others are")
  func gaps() throws {
    let lacking = Self.conversation([38]).segments().enumerated().filter { $0.offset != 7 }.map(\.element)
    try writeCapture(lacking + Self.conversation([100], client: 11).segments())
    let server = try serve("capture.pcap", "--once")
    #expect(try directory.read(from: server).text == hex(Self.bytes))
    let outcome = try server.end(by: nil)
    #expect(outcome.messages.contains { $0.hasPrefix("capture.pcap stream 0: is not served: 38 bytes") })
    #expect(outcome.code == 0)

    try writeCapture(lacking, "lacking.pcap")
    let alone = try directory.apnsift("serve", "lacking.pcap", "--port", "0")
    #expect(alone.code == 2)
    #expect(alone.messages.last?.contains("nothing to serve: 1 stream cannot be") == true)
  }

  @Test("streams beyond --memory are not served, and others are")
  func memory() throws {
    try directory.write(feedback(Self.tuples(1000)), to: "a.bin")
    try directory.write(Self.bytes, to: "b.bin")
    let server = try serve("a.bin", "b.bin", "--memory", "30000", "--once")
    #expect(try directory.read(from: server).text == hex(Self.bytes))
    let outcome = try server.end(by: nil)
    #expect(outcome.messages.contains { $0.hasPrefix("a.bin: is not served") && $0.contains("--memory") })
  }

  // MARK: - Gateways

  private static let request: [UInt8] = [0, 0, 32] + token(1) + [0, 7] + Array(#"{"a":1}"#.utf8)
  private static let response: [UInt8] = [8, 8, 1, 2, 3, 4]

  private static func gateway(_ turns: [Conversation.Turn], sizes: [Int] = [1400]) -> Conversation {
    var conversation = Conversation(turns)
    conversation.server = .v4(20, port: 2195)
    conversation.segmentSizes = sizes
    return conversation
  }

  @Test("a gateway answers once the client has sent as much as the captured one")
  func gateway() throws {
    let turns: [Conversation.Turn] = [
      .init(.client, Self.request), .init(.client, Self.request), .init(.server, Self.response),
    ]
    try writeCapture(Self.gateway(turns, sizes: [1400, 1400, 4]).segments())
    let server = try serve("capture.pcap", "--once")
    let read = try directory.read(
      from: server,
      turns: [.init(send: Self.request, reads: 0), .init(send: Self.request, reads: 2)])
    #expect(read.sizes == [4, 2] && read.text == hex(Self.response) && read.end == "end")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("a client that sends less is given up, with exit code 2")
  func silentClient() throws {
    try writeCapture(Self.gateway([.init(.client, Self.request), .init(.server, Self.response)]).segments())
    let server = try serve("capture.pcap", "--once", "--idle-timeout", "1")
    let read = try directory.read(from: server, turns: [.init(send: [1, 2, 3], reads: 0)])
    #expect(read.sizes == [])
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("3 of 44 bytes that were waited for"))
    #expect(outcome.messages.last?.contains("1 client stalled") == true)
  }

  @Test("a pair of dumps is a gateway connection")
  func pair() throws {
    try directory.write(Self.request, to: "sent.bin")
    try directory.write(Self.response, to: "got.bin")
    let server = try serve("--requests", "sent.bin", "--responses", "got.bin", "--once")
    let read = try directory.read(from: server, turns: [.init(send: Self.request, reads: 1)])
    #expect(read.sizes == [6] && read.text == hex(Self.response))
    #expect(try server.end(by: nil).code == 0)
  }

  // MARK: - The end

  @Test("a connection that the server broke off is broken off")
  func reset() throws {
    var segments = Self.conversation().segments()
    // Behind the data the server's FIN and two answers to it.
    segments.removeLast(3)
    var last = segments[segments.count - 2]
    last.sequence = last.end
    last.payload = []
    last.flags = [.rst, .ack]
    try writeCapture(segments + [last])
    let server = try serve("capture.pcap", "--once")
    let read = try directory.read(from: server)
    #expect(read.text == hex(Self.bytes) && read.end == "reset")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("where the capture does not show the end, the client closes, or the server after the idle timeout")
  func noEnd() throws {
    try writeCapture(Array(Self.conversation().segments().dropLast(3)))
    let server = try serve("capture.pcap", "--once", "--idle-timeout", "1")
    let read = try directory.read(from: server)
    #expect(read.text == hex(Self.bytes) && read.end == "end")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("signals end the server cleanly", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(_ number: Int32) throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve("dump.bin")
    #expect(server.address == "127.0.0.1:\(server.port)")
    let outcome = try server.end(by: number)
    #expect(outcome.ending == .exit(0))
    #expect(outcome.messages.last == "served 1 stream to 0 clients, 0 bytes; nothing wrong with it")
  }

  // MARK: - Ports

  @Test("a port that is in use, one that is privileged, an address of another machine")
  func ports() throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve("dump.bin")
    let taken = try directory.apnsift("serve", "dump.bin", "--port", server.port)
    #expect(taken.code == 2)
    #expect(taken.messages.last?.hasPrefix("port \(server.port) of 127.0.0.1 is in use") == true)
    #expect(taken.output == [])
    let foreign = try directory.apnsift("serve", "dump.bin", "--port", "0", "--listen", "192.0.2.1")
    #expect(foreign.code == 2)
    #expect(foreign.messages.last?.contains("192.0.2.1 is no address of this machine") == true)
  }

  @Test("an address that others can reach is warned of")
  func reachable() throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve("dump.bin", "--listen", "0.0.0.0", "--once")
    #expect(server.address == "0.0.0.0:\(server.port)")
    #expect(try directory.read(from: server).text == hex(Self.bytes))
    let outcome = try server.end(by: nil)
    #expect(outcome.messages.first?.hasPrefix("warning: clients on other machines can connect") == true)
  }

  // MARK: - TLS

  /// A certificate and its key, made by openssl.
  private func makeIdentity(_ name: String, passphrase: String? = nil) throws {
    let key = passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"]
    _ = try directory.tool(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"] + key)
  }

  @Test("openssl s_client reads what was captured")
  func opensslClient() throws {
    try writeCapture(Self.conversation().segments())
    let server = try serve("capture.pcap", "--tls", "--write-certificate", "server.pem", "--once")
    let bytes = try directory.tool(
      "openssl",
      ["s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", "server.pem", "-verify_return_error"]
        + ["-verify_ip", "127.0.0.1", "-quiet", "-no_ign_eof", "-ign_eof"])
    #expect(bytes == Self.bytes)
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let text = String(
      decoding: try directory.tool(
        "openssl", ["x509", "-in", "server.pem", "-noout", "-fingerprint", "-sha256"]), as: UTF8.self)
    let fingerprint = try #require(text.split(separator: "=").last?.split(separator: "\n").first)
    #expect(outcome.messages.first == "the certificate's SHA-256 fingerprint is \(fingerprint)")
  }

  @Test("Python reads a record a chunk, and takes the certificate for each name of this machine")
  func pythonClient() throws {
    try writeCapture(Self.conversation().segments())
    let server = try serve("capture.pcap", "--tls", "--write-certificate", "server.pem", "--once")
    let read = try directory.read(from: server, trusting: "server.pem")
    #expect(read.text == hex(Self.bytes) && read.sizes == Self.cut(Self.sizes) && read.version == "TLSv1.3")
    let names = String(
      decoding: try directory.tool(
        "openssl", ["x509", "-in", "server.pem", "-noout", "-ext", "subjectAltName"]), as: UTF8.self)
    #expect(names.contains("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"))
  }

  @Test("a certificate and a key that are given are used, and a client's certificate is asked for")
  func givenIdentity() throws {
    try makeIdentity("server")
    try makeIdentity("client")
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve(
      "dump.bin", "--certificate", "server.pem", "--key", "server.key", "--ask-client-certificate")
    for shows in [nil, ["client.pem", "client.key"]] {
      let read = try directory.read(from: server, trusting: "server.pem", shows: shows)
      #expect(read.text == hex(Self.bytes))
    }
    let asked = try directory.shell(
      "openssl s_client -connect 127.0.0.1:\(server.port) -CAfile server.pem -ign_eof < /dev/null")
    #expect(asked.text.contains("Requested Signature Algorithms"))
    #expect(try server.end().code == 0)
  }

  @Test("certificates and keys that cannot be used are named, and nobody is asked for a passphrase")
  func badIdentities() throws {
    try makeIdentity("server")
    try makeIdentity("other")
    try makeIdentity("closed", passphrase: "abcd")
    try directory.write(Self.bytes, to: "dump.bin")
    let cases = [
      ("server.pem", "other.key", "other.key is not the key of server.pem"),
      ("closed.pem", "closed.key", "closed.key: the key is encrypted"),
      ("server.pem", "missing.key", "missing.key: "), ("missing.pem", "server.key", "missing.pem: "),
      ("server.key", "server.key", "server.key: expected a certificate in PEM"),
      ("server.pem", "server.pem", "server.pem: expected a private key in PEM"),
      ("server.pem", "dump.bin", "dump.bin: expected a private key in PEM"),
    ]
    for (certificate, key, message) in cases {
      let outcome = try directory.apnsift(
        "serve", "dump.bin", "--port", "0", "--certificate", certificate, "--key", key)
      #expect(outcome.code == 2, "\(certificate) \(key)")
      #expect(outcome.messages.last?.hasPrefix(message) == true, "\(outcome.errors)")
      #expect(outcome.output == [])
    }
  }

  @Test("clients that do not get through the handshake are told of, and take no stream from others")
  func failedHandshakes() throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve("dump.bin", "--tls", "--write-certificate", "server.pem", "--once")
    let plain = try directory.read(
      from: server, turns: [.init(send: Array("GET / HTTP/1.0\r\n\r\n".utf8), reads: 0)])
    #expect(!plain.text.hasPrefix(hex(Self.bytes.prefix(6))))
    _ = try directory.shell(
      "openssl s_client -connect 127.0.0.1:\(server.port) -verify_return_error < /dev/null")
    #expect(try directory.read(from: server, trusting: "server.pem").text == hex(Self.bytes))
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 0)
    #expect(outcome.messages.contains { $0.contains("no TLS with it: it does not speak TLS") })
    #expect(outcome.messages.contains { $0.contains("it does not trust the certificate") })
    #expect(
      outcome.messages.last
        == "served 1 stream to 1 client, 760 bytes; 2 TLS handshakes failed")
  }

  @Test("a client that speaks TLS to a server without it is told how")
  func unexpectedTLS() throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let server = try serve("dump.bin", "--once")
    _ = try directory.shell("openssl s_client -connect 127.0.0.1:\(server.port) < /dev/null")
    #expect(try server.end(by: nil).errors.contains("it speaks TLS, which --tls is for"))
  }

  // MARK: - Arguments

  @Test(
    "arguments that do not fit",
    arguments: [
      (["--certificate", "a"], "--certificate and --key go together"),
      (["--write-certificate", "a"], "--write-certificate is for TLS"),
      (["--ask-client-certificate"], "--ask-client-certificate is for TLS"),
      (["--tls-min", "1.2"], "--tls-min is for TLS"), (["--tls", "--tls-min", "2"], "tls-min"),
      (["--pace", "0"], "--pace is 0"),
      (["--pace", "1", "--chunk-size", "3"], "--pace is for the captured chunks"),
      (["--chunk-size", "3", "--every-chunking"], "exclude each other"),
      (["--port", "65536"], "--port"), (["--listen", "nowhere"], "--listen is 'nowhere'"),
      (["--idle-timeout", "0"], "--idle-timeout is 0"), (["--stream=-1"], "--stream is -1"),
    ])
  func usage(_ options: [String], _ message: String) throws {
    try directory.write(Self.bytes, to: "dump.bin")
    let outcome = try directory.apnsift(["serve", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
