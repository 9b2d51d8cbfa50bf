import StreamInputs
import TestSupport
import Testing

@Suite("Output of the real tools")
struct RealToolTests {
  /// Tools and their options; the bytes of the dump that they print.
  static let commands: [(format: TextFormat, command: String, range: Range<Int>)] =
    [
      "", "-u", "-a", "-d", "-a -d", "-c 1", "-c 7", "-c 256", "-c 32 -g 1", "-g 0", "-g 1", "-g 3", "-g 16",
      "-c 5 -g 4", "-c 256 -g 256", "-a -c 10", "-c 3 -d", "-a -c 8 -d -u",
    ].map { (.xxd, "xxd \($0)", 0..<size) } + [
      (.xxd, "xxd -s 300", 300..<size), (.hexdump, "hexdump -C", 0..<size),
      (.hexdump, "hexdump -C -v", 0..<size), (.hexdump, "hexdump -C -s 77", 77..<size),
      (.hexdump, "hexdump -C -n 900", 0..<900), (.hex, "xxd -p", 0..<size), (.hex, "xxd -p -u", 0..<size),
      (.hex, "xxd -p -c 7", 0..<size), (.hex, "xxd -p -c 256", 0..<size), (.base64, "base64", 0..<size),
      (.base64, "base64 -w 0", 0..<size), (.base64, "base64 -w 64", 0..<size),
      (.base64, "base64 -w 20", 0..<size),
    ]

  private static let size = dumpedBytes().count

  @Test(arguments: commands)
  func decoded(_ format: TextFormat, _ command: String, _ range: Range<Int>) throws {
    let words = command.split(separator: " ").map(String.init)
    for length in format == .base64 ? [0, 1, 2] : [0] {
      let bytes = Array(dumpedBytes().dropLast(length))
      guard let text = try outputOf(words[0], Array(words[1...]), input: bytes), !text.isEmpty else {
        print("\(words[0]) is not installed: its output is not tested")
        return
      }
      let decoding = format.decode(text)
      #expect(decoding.bytes == Array(bytes[range.clamped(to: bytes.indices)]))
      #expect(decoding.gaps.isEmpty && decoding.errors.isEmpty)
      #expect(TextFormat.recognised(Array(text.prefix(64 << 10))) == format)
    }
  }

  @Test(
    "hexdump -C of bytes that end within the repetitions of *", arguments: [33, 37, 47, 48, 49])
  func hexdumpOfZeros(_ count: Int) throws {
    let bytes = [UInt8](repeating: 0, count: count)
    guard let text = try outputOf("hexdump", ["-C"], input: bytes), !text.isEmpty else { return }
    let decoding = TextFormat.hexdump.decode(text)
    #expect(decoding.bytes == bytes && decoding.errors.isEmpty)
  }
}
