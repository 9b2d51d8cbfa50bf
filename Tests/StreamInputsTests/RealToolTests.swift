import PacketCapture
import StreamInputs
import TestSupport
import Testing

@Suite("Output of the real tools")
struct RealToolTests {
  static let xxdOptions: [[String]] = [
    [], ["-u"], ["-a"], ["-d"], ["-a", "-d"], ["-c", "1"], ["-c", "7"], ["-c", "256"],
    ["-c", "32", "-g", "1"],
    ["-g", "0"], ["-g", "1"], ["-g", "3"], ["-g", "16"], ["-c", "5", "-g", "4"], ["-c", "256", "-g", "256"],
    ["-a", "-c", "10"], ["-c", "3", "-d"], ["-a", "-c", "8", "-d", "-u"],
  ]

  /// Nil, and a note in the log, on a machine without the tool.
  private func text(_ tool: String, _ options: [String], of bytes: [UInt8]) throws -> [UInt8]? {
    guard let text = try outputOf(tool, options, input: bytes), !text.isEmpty else {
      print("\(tool) is not installed: its output is not tested")
      return nil
    }
    return text
  }

  @Test("xxd", arguments: xxdOptions)
  func xxd(_ options: [String]) throws {
    let bytes = dumpedBytes()
    guard let text = try text("xxd", options, of: bytes) else { return }
    let decoding = TextFormat.xxd.decode(text)
    #expect(decoding.bytes == bytes)
    #expect(decoding.gaps.isEmpty && decoding.errors.isEmpty)
    #expect(TextFormat.recognised(Array(text.prefix(64 << 10))) == .xxd)
  }

  @Test("xxd from an offset on")
  func xxdWithSkip() throws {
    let bytes = dumpedBytes()
    guard let text = try text("xxd", ["-s", "300"], of: bytes) else { return }
    #expect(TextFormat.xxd.decode(text) == TextFormat.xxd.decode(text, blockSize: { 11 }))
    #expect(TextFormat.xxd.decode(text).bytes == Array(bytes[300...]))
    #expect(TextFormat.xxd.decode(text).errors.isEmpty)
  }

  @Test("xxd with blanks at line ends stripped, and without its text column")
  func xxdStripped() throws {
    let bytes = dumpedBytes()
    guard let text = try text("xxd", [], of: bytes) else { return }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let stripped = lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    let columnless = lines.map { String($0.prefix(49)) }
    for variant in [stripped, columnless] {
      let decoding = TextFormat.xxd.decode(variant.joined(separator: "\r\n") + "\r\n")
      #expect(decoding.bytes == bytes)
      #expect(decoding.errors.isEmpty)
    }
  }

  @Test("hexdump -C", arguments: [["-C"], ["-C", "-v"], ["-C", "-s", "77"], ["-C", "-n", "900"]])
  func hexdump(_ options: [String]) throws {
    let bytes = dumpedBytes()
    guard let text = try text("hexdump", options, of: bytes) else { return }
    let skipped = options.contains("-s") ? Array(bytes[77...]) : bytes
    let decoding = TextFormat.hexdump.decode(text)
    #expect(decoding.bytes == (options.contains("-n") ? Array(bytes.prefix(900)) : skipped))
    #expect(decoding.gaps.isEmpty && decoding.errors.isEmpty)
    #expect(TextFormat.recognised(Array(text.prefix(64 << 10))) == .hexdump)
  }

  @Test("hd prints what hexdump -C prints")
  func hd() throws {
    let bytes = dumpedBytes()
    guard let text = try text("hd", [], of: bytes) else { return }
    #expect(TextFormat.hexdump.decode(text).bytes == bytes)
    #expect(TextFormat.hexdump.decode(text).errors.isEmpty)
  }

  @Test("hexdump -C of bytes that end within the repetitions of *", arguments: [33, 37, 47, 48, 49])
  func hexdumpOfZeros(_ count: Int) throws {
    let bytes = [UInt8](repeating: 0, count: count)
    guard let text = try text("hexdump", ["-C"], of: bytes) else { return }
    let decoding = TextFormat.hexdump.decode(text)
    #expect(decoding.bytes == bytes)
    #expect(decoding.errors.isEmpty)
  }

  @Test("xxd -p", arguments: [["-p"], ["-p", "-u"], ["-p", "-c", "7"], ["-p", "-c", "256"]])
  func xxdPlain(_ options: [String]) throws {
    let bytes = dumpedBytes()
    guard let text = try text("xxd", options, of: bytes) else { return }
    let decoding = TextFormat.hex.decode(text)
    #expect(decoding.bytes == bytes)
    #expect(decoding.gaps.isEmpty && decoding.errors.isEmpty)
    #expect(TextFormat.recognised(text) == .hex)
  }

  @Test("xxd -p folded at an odd width", arguments: [7, 61, 75])
  func foldedAtOddWidth(_ width: Int) throws {
    let bytes = dumpedBytes()
    guard let text = try text("xxd", ["-p"], of: bytes) else { return }
    let digits = text.filter { $0 != 0x0a }
    var folded: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: width) {
      folded += digits[start..<min(start + width, digits.count)] + [0x0a]
    }
    let decoding = TextFormat.hex.decode(folded)
    #expect(decoding.bytes == bytes)
    #expect(decoding.errors.isEmpty)
  }

  @Test("base64", arguments: [[], ["-w", "0"], ["-w", "64"], ["-w", "4"], ["-w", "20"]])
  func base64(_ options: [String]) throws {
    for length in [0, 1, 2] {
      let bytes = dumpedBytes().dropLast(length)
      guard let text = try text("base64", options, of: Array(bytes)) else { return }
      let decoding = TextFormat.base64.decode(text)
      #expect(decoding.bytes == Array(bytes))
      #expect(decoding.gaps.isEmpty && decoding.errors.isEmpty)
      #expect(TextFormat.recognised(text) == .base64)
    }
  }
}
