import Basics
import PacketCapture
import StreamInputs
import TestSupport
import Testing
import Wording

@Suite("Lines of a text file")
struct LineReaderTests {
  private let files = TemporaryFiles()

  private func lines(_ text: [UInt8]) throws -> [String] {
    var reader = try LineReader(Input(try files.write(text)))
    var lines: [String] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(reader.lineNumber == lines.count)
    let after = try reader.next()
    #expect(after == nil)
    return lines
  }

  @Test(
    "line ends and byte order marks",
    arguments: [
      ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]),
      ("a\n\nb\n", ["a", "", "b"]),
      ("a\r\nb\r\n", ["a", "b"]), ("\r\n", [""]), ("a\rb\r\rc\n", ["a", "b", "", "c"]),
      ("\u{feff}a\nb", ["a", "b"]),
      ("a\n\u{feff}b", ["a", "\u{feff}b"]), ("é,\"ü\"\n", ["é,\"ü\""]), ("\0\n", ["\0"]),
    ] as [(String, [String])])
  func ends(_ text: String, _ expected: [String]) throws {
    // Compared by scalars: a carriage return and a newline are one character to ==.
    #expect(try lines(Array(text.utf8)).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
  }

  @Test("lines that the ends of blocks cut")
  func blocks() throws {
    for length in [65_530, 65_535, 65_536, 65_537, 200_000] {
      let long = String(repeating: "x", count: length)
      #expect(try lines(Array("\(long)\r\nab\n\(long)".utf8)) == [long, "ab", long])
    }
  }

  @Test("bytes that are no UTF-8 are shown as such")
  func noUTF8() throws {
    #expect(try lines([0x61, 0xff, 0x0a]) == ["a\u{fffd}"])
  }

  @Test("the longest line, and a longer one")
  func longest() throws {
    let longest = [UInt8](repeating: 0x61, count: LineReader.maxLineLength)
    #expect(try lines(longest + [0x0a]).map(\.utf8.count) == [LineReader.maxLineLength])
    var reader = try LineReader(Input(try files.write([0x61, 0x0a] + longest + [0x61, 0x0a])))
    let first = try reader.next()
    #expect(first == "a")
    do {
      _ = try reader.next()
      Issue.record("no fault")
    } catch let error as InputError {
      #expect(error.line == 2 && error.message == .lineTooLong(limit: LineReader.maxLineLength))
    }
  }

  @Test("a missing file")
  func missing() throws {
    let error = try #require(throws: InputError.self) { _ = try LineReader(Input(files.path + "/none")) }
    #expect(error.message == .cannotBeOpened("No such file or directory"))
  }
}
