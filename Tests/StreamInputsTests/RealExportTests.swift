import Basics
import Foundation
import StreamInputs
import TestSupport
import Testing

/// Wireshark's C arrays cannot be had without its window; their tests are made by hand.
@Suite("Exports by the real tools")
struct RealExportTests {
  /// The output of `script`, run by a shell in `directory`; nil, and a note in the log, without `tool`.
  private func output(of script: String, using tool: String, in directory: String) throws -> [UInt8]? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "PATH=$PATH:/usr/sbin; command -v \(tool) >/dev/null || exit 127; \(script)"]
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus == 127 {
      print("\(tool) is not installed: its output is not tested")
      return nil
    }
    return [UInt8](output)
  }

  private func recognised(_ text: [UInt8]) -> ExportFormat? {
    ExportFormat.recognise(TextHead(Array(text.prefix(64 << 10)), isWhole: text.count <= 64 << 10))
  }

  /// Blocks of random sizes give the same result, which is returned.
  private func read(_ text: [UInt8], as format: ExportFormat) -> ExportRecording {
    let recording = ExportRecording.of(text, as: format, serverPorts: [2196])
    var generator = SeededGenerator(seed: 8)
    let again = ExportRecording.of(
      text, as: format, serverPorts: [2196], blockSize: { generator.pick(1...300) })
    #expect(recording == again)
    #expect(recording.misuse == [] && recording.errors == [])
    return recording
  }

  static let follows: [(String, ExportFormat)] = [
    ("raw", .followRaw), ("hex", .followHex), ("yaml", .followYAML),
  ]

  /// Two connections, IPv4 and IPv6: two tuples, a request, 76 bytes that were not captured, two tuples.
  @Test("tshark follows two streams with gaps", arguments: follows)
  func tshark(_ mode: String, _ format: ExportFormat) throws {
    let files = try TemporaryFiles()
    try files.write(FeedbackCapture().bytes, to: "capture.pcap")
    let follow = [0, 1].map { "-z follow,tcp,\(mode),\($0)" }.joined(separator: " ")
    guard
      let text = try output(of: "tshark -r capture.pcap -q \(follow)", using: "tshark", in: files.path)
    else { return }
    #expect(recognised(text) == format)
    let recording = read(text, as: format)
    // tshark prints the last of its -z options first.
    let peers = recording.identities.map { $0.peers?.first.text }
    #expect(Set(peers) == ["10.0.0.1:40000", "[2001:db8::1]:40000"])
    for number in 0...1 {
      #expect(recording.bytes(.second, stream: number) == FeedbackCapture.tuples + FeedbackCapture.tuples)
      #expect(recording.bytes(.first, stream: number) == Array("hello".utf8))
    }
    #expect(recording.gaps.map(\.offset) == [76, 76] && recording.gaps.map(\.length) == [76, 76])
    #expect(recording.identities.allSatisfy { $0.server == .second && $0.serverEvidence == .port })
    if format == .followYAML { checkPackets(recording) }
  }

  private func checkPackets(_ recording: ExportRecording) {
    let first = recording.identities.first?.peers?.first.address.family == .v4 ? [3, 4, 5] : [12, 13, 14]
    #expect(recording.packets.prefix(3).map(\.original) == first)
    let times = Set(recording.packets.compactMap { $0.time?.text })
    #expect(times == FeedbackCapture.dataTimes)
  }

  @Test("tshark with its packet list before the stream")
  func tsharkWithPacketList() throws {
    let files = try TemporaryFiles()
    try files.write(FeedbackCapture().bytes, to: "capture.pcap")
    for (mode, format) in Self.follows where format != .followYAML {
      let script = "tshark -r capture.pcap -z follow,tcp,\(mode),0"
      guard let text = try output(of: script, using: "tshark", in: files.path) else { return }
      #expect(recognised(text) == format)
      #expect(read(text, as: format).bytes(.first) == Array("hello".utf8))
    }
  }

  /// Tests/Fixtures/tls-feedback.pcap: a session of TLS 1.2.
  @Test("tshark follows TLS with a key log", arguments: follows)
  func tsharkTLS(_ mode: String, _ format: ExportFormat) throws {
    let files = try fixtures()
    let script =
      "tshark -r tls-feedback.pcap -o tls.keylog_file:tls-feedback.keylog -q -z follow,tls,\(mode),0"
    guard let text = try output(of: script, using: "tshark", in: files.path) else { return }
    #expect(recognised(text) == format)
    checkSession(read(text, as: format))
  }

  @Test("ssldump decrypts", arguments: ["-d", "-d -n", "-d -n -A", "-d -n -x", "-d -n -X", "-d -e"])
  func ssldump(_ options: String) throws {
    let files = try fixtures()
    let script = "ssldump -r tls-feedback.pcap -k tls-feedback.key \(options)"
    guard let text = try output(of: script, using: "ssldump", in: files.path) else { return }
    #expect(recognised(text) == .ssldump)
    let recording = read(text, as: .ssldump)
    checkSession(recording)
    #expect(recording.identities.map(\.serverEvidence) == [.handshake])
    #expect(recording.packets.isEmpty == !options.contains("-e"))
  }

  private func fixtures() throws -> TemporaryFiles {
    let files = try TemporaryFiles()
    for name in ["tls-feedback.pcap", "tls-feedback.keylog", "tls-feedback.key"] {
      try files.write([UInt8](Fixtures.data(name)), to: name)
    }
    return files
  }

  /// Its content: five tuples, a line of the client's, the same five tuples.
  private func checkSession(_ recording: ExportRecording) {
    var tuples: [UInt8] = []
    for tuple in 0..<5 {
      let token = (0..<32).map { byte in UInt8((tuple * 7 + byte * 13) & 255) }
      tuples += Tuples.of(token, time: 1_500_000_000 + UInt32(tuple))
    }
    #expect(recording.bytes(.second) == tuples + tuples)
    #expect(recording.bytes(.first) == Array("hallo\n".utf8))
    #expect(recording.identities.count == 1)
  }

  @Test("socat logs both directions", arguments: ["-x", "-v -x", "-x -b 50", "-v -x -b 7", "-x -d -d"])
  func socat(_ options: String) throws {
    let files = try TemporaryFiles()
    let left = dumpedBytes(seed: 2)
    let right = dumpedBytes(seed: 4)
    try files.write(left, to: "left")
    try files.write(right, to: "right")
    let script = """
      socat -u \(options) FILE:left STDOUT 2>&1 >/dev/null
      socat -U \(options) STDOUT FILE:right 2>&1 >/dev/null
      """
    guard let text = try output(of: script, using: "socat", in: files.path) else { return }
    #expect(recognised(text) == .socat)
    let recording = read(text, as: .socat)
    #expect(recording.bytes(.first) == left && recording.bytes(.second) == right)
    #expect(recording.identities.count == 1 && recording.gaps.isEmpty)
  }
}

/// A capture of two connections, written byte by byte: packets 1 to 9 are of the first.
private struct FeedbackCapture {
  static let tuples = Tuples.one() + Tuples.one(fill: 0x5b)
  /// Of the packets with data: 200, 250 and 300 ms after each connection's first packet.
  static let dataTimes: Set<String> = [
    "2014-05-13T16:53:20.200000Z", "2014-05-13T16:53:20.250000Z", "2014-05-13T16:53:20.300000Z",
    "2014-05-13T16:53:30.200000Z", "2014-05-13T16:53:30.250000Z", "2014-05-13T16:53:30.300000Z",
  ]

  /// The file: pcap of version 2.4, big-endian, microseconds, Ethernet.
  private(set) var bytes: [UInt8] = []

  init() {
    bytes = Self.u32(0xa1b2_c3d4) + [0, 2, 0, 4] + Self.u32(0) + Self.u32(0) + Self.u32(65_535) + Self.u32(1)
    let v4: ([UInt8], [UInt8]) = ([10, 0, 0, 1], [17, 0, 0, 2])
    let prefix: [UInt8] = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11)
    connection(client: v4.0, server: v4.1, start: 1_400_000_000)
    connection(client: prefix + [1], server: prefix + [2], start: 1_400_000_010)
  }

  private mutating func connection(client: [UInt8], server: [UInt8], start: UInt32) {
    func up(_ sequence: UInt32, _ acknowledged: UInt32, _ flags: UInt8, _ data: [UInt8] = []) -> [UInt8] {
      Self.frame(client, server, ports: (40_000, 2196), sequence, acknowledged, flags, data)
    }
    func down(_ sequence: UInt32, _ acknowledged: UInt32, _ flags: UInt8, _ data: [UInt8] = []) -> [UInt8] {
      Self.frame(server, client, ports: (2196, 40_000), sequence, acknowledged, flags, data)
    }
    let packets = [
      up(99, 0, 0x02), down(499, 100, 0x12), down(500, 100, 0x18, Self.tuples),
      up(100, 576, 0x18, Array("hello".utf8)), down(652, 105, 0x18, Self.tuples),
      up(105, 728, 0x10), up(105, 728, 0x10), up(105, 728, 0x10), down(728, 105, 0x11),
    ]
    let milliseconds: [UInt32] = [0, 100, 200, 250, 300, 400, 500, 600, 800]
    for (packet, time) in zip(packets, milliseconds) {
      bytes += Self.u32(start) + Self.u32(time * 1000) + Self.u32(UInt32(packet.count))
      bytes += Self.u32(UInt32(packet.count)) + packet
    }
  }

  private static func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
  private static func u32(_ value: UInt32) -> [UInt8] {
    u16(Int(value >> 16)) + u16(Int(value & 0xffff))
  }

  private static func frame(
    _ source: [UInt8], _ target: [UInt8], ports: (Int, Int), _ sequence: UInt32, _ acknowledged: UInt32,
    _ flags: UInt8, _ data: [UInt8]
  ) -> [UInt8] {
    let tcp =
      u16(ports.0) + u16(ports.1) + u32(sequence) + u32(acknowledged) + [0x50, flags] + u16(8192) + u32(0)
      + data
    let ethernet = [UInt8](repeating: 0, count: 12)
    guard source.count == 4 else {
      return ethernet + [0x86, 0xdd, 0x60, 0, 0, 0] + u16(tcp.count) + [6, 64] + source + target + tcp
    }
    let ip = [0x45, 0] + u16(20 + tcp.count) + [0, 1, 0x40, 0, 64, 6, 0, 0] + source + target
    return ethernet + [0x08, 0] + ip + tcp
  }
}
