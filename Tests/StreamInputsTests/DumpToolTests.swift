import Basics
import StreamInputs
import TestSupport
import Testing

/// One stream of six tuples (Tests/Fixtures/dumps/six.bin), as the tool prints it that the file is named for.
@Suite("Dumps of every tool")
struct DumpToolTests {
  private static func content(_ name: String) throws -> [UInt8] { Array(try Fixtures.data("dumps/\(name)")) }

  static let readable = [
    "xxd", "xxd-u", "xxd-c38", "xxd-g1", "xxd-d", "xxd-p", "xxd-p-c7", "hexdump-C", "hexdump-e",
    "od-Ax-tx1", "od-Ax-tx1z", "od-Ad-tx1", "od-Ad-tx1-w4", "od-Ao-tx1", "od-Ao-tx1-w32", "od-An-tx1",
    "macos-od-tx1", "wireshark-hex", "wireshark-hex-ascii", "tshark-x", "powershell5-format-hex",
    "powershell5-format-hex-utf16", "powershell7-format-hex", "dotnet-bitconverter", "python-hex-colon",
    "python-hex-blank", "python-hexdump", "scapy", "hexyl", "hexyl-ascii", "hxd", "hxd-decimal",
    "hxd-octal", "010-editor", "winhex", "ultraedit", "ida", "windbg-db", "debug-d", "gdb-x-xb",
    "lldb-memory-read", "radare2-px", "frida", "linux-print-hex-dump", "ncat-x", "openssl-msg",
    "strace-e-read", "curl-trace", "openssl-colon", "c-values", "psql-bytea", "mc", "xxd-quoted-mail",
    "wireshark-hex-grep-n", "hexdump-C-syslog", "od-Ax-tx1-comment", "xxd-cat-n", "python-hexdump-crlf",
    "wireshark-hex-ascii-utf16be",
  ]

  @Test(arguments: readable)
  func isRead(_ tool: String) throws {
    let (recording, report) = try DumpRecording.of(Self.content("\(tool).txt"), as: nil)
    #expect(report.format == .dump(.hex) && report.errors.isEmpty)
    let six = try Self.content("six.bin")
    #expect(recording.bytes == six)
  }

  /// The words that a refusal of these dumps has.
  static let refused: [(word: String, tools: [String])] = [
    (
      "words in an unknown order",
      [
        "xxd-e", "xxd-b", "hexdump", "hexdump-b", "hexdump-c", "od", "od-c", "od-Ax-tx2", "od-Ax-tx2-big",
        "od-Ax-tu1", "od-An-tx2", "gdb-x-xw",
      ]
    ),
    ("packets, with their headers", ["tcpdump-X", "tshark-x-packet"]),
    ("carriage returns alone", ["xxd-cr"]), ("escapes for bytes", ["python-repr", "redis-cli"]),
    (
      "digits are a capture or compressed data",
      ["capture-xxd", "capture-xxd-p", "capture-base64", "gzip-xxd"]
    ),
    ("decimal numbers", ["java-signed", "json-numbers"]), ("unknown form", ["intel-hex", "pairs-grep-n"]),
  ]

  @Test(arguments: refused)
  func isRefused(_ word: String, _ tools: [String]) throws {
    for tool in tools {
      let (recording, report) = try DumpRecording.of(Self.content("\(tool).txt"), as: nil)
      #expect(recording.bytes.isEmpty && report.format == nil, "\(tool)")
      #expect(report.errors.first?.message.text.contains(word) == true, "\(tool)")
    }
  }

  @Test("a head that is cut anywhere has the same layout", arguments: ["od-Ad-tx1", "gdb-x-xb", "hexyl"])
  func cutHeads(_ tool: String) throws {
    let text = try Self.content("\(tool).txt")
    let whole = OffsetLayout(of: TextHead(text, isWhole: true))
    #expect(whole?.kind == .other)
    for length in stride(from: 500, to: text.count, by: 7) {
      let head = Array(text.prefix(length))
      let cut = OffsetLayout(of: TextHead(head, isWhole: false))
      #expect(cut == whole, "\(length)")
    }
  }

  @Test(
    "the result does not depend on blocks", arguments: ["od-Ao-tx1", "windbg-db", "powershell7-format-hex"])
  func blocks(_ tool: String) throws {
    let text = try Self.content("\(tool).txt")
    let found = OffsetLayout(of: TextHead(text, isWhole: true))
    let layout = try #require(found)
    let six = try Self.content("six.bin")
    for size in [1, 7, 60, 1000] {
      var decoder = layout.decoder()
      var (output, decoding, start) = (DecodedText(), Decoding(), 0)
      while start < text.count {
        let block = Array(text[start..<min(text.count, start + size)])
        _ = decoder.read(block.span.bytes, from: 0, into: &output)
        start += size
      }
      let isDone = decoder.finish(into: &output)
      #expect(isDone)
      decoding.take(&output)
      #expect(decoding.bytes == six && decoding.errors.isEmpty, "blocks of \(size)")
    }
  }

  @Test("a line that other text hides is a gap, and text after the dump is named")
  func damaged() throws {
    let lines = String(decoding: try Self.content("gdb-x-xb.txt"), as: UTF8.self).split(separator: "\n")
    let text =
      (["(gdb) x/228xb buffer"] + lines.prefix(3) + ["?"] + lines.dropFirst(4) + ["Quit"])
      .joined(separator: "\n") + "\n"
    let (recording, report) = try DumpRecording.of(Array(text.utf8), as: nil)
    #expect(recording.gaps.count == 1 && recording.gaps.first?.hasPrefix("24+8@") == true)
    #expect(report.errors.map(\.line) == [lines.count + 2])
  }
}
