import Basics
import StreamInputs
import TestSupport
import Testing

/// One stream of six tuples (Tests/Fixtures/dumps/six.bin), as the tool prints it that the file is named for.
@Suite("Dumps of every tool")
struct DumpToolTests {
  private static func content(_ name: String) throws -> [UInt8] { Array(try Fixtures.data("dumps/\(name)")) }

  @Test(arguments: Fixtures.rows("tools whose dumps are read", in: "text-dumps") as [String])
  func isRead(_ tool: String) throws {
    let (recording, report) = try DumpRecording.of(Self.content("\(tool).txt"), as: nil)
    #expect(report.format == .dump(.hex) && report.errors.isEmpty)
    let six = try Self.content("six.bin")
    #expect(recording.bytes == six)
  }

  /// The words that a refusal of these dumps has.
  @Test(arguments: Fixtures.rows("tools whose dumps are refused", in: "text-dumps") as [(String, [String])])
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
