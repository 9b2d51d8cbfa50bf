import Basics
import StreamInputs
import TestSupport
import Testing

@Suite("Text recognised by its content")
struct TextProbeTests {
  static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"
  static let tuple = "518096100020" + token

  static let cases: [(name: String, text: String, expected: TextFormat?)] = [
    ("hex of a tuple", tuple, .hex),
    ("four digits", "00fF\n", .hex),
    ("three digits", "00f\n", nil),
    ("hex in bytes", "51 80 96 10 00 20", .hex),
    ("MySQL", "0x\(tuple)\n0x\(tuple)\n", .hex),
    ("PostgreSQL", "\\x\(tuple)\n", .hex),
    ("hex with a byte order mark", "\u{feff}\(tuple)", .hex),
    ("hex with a bad character", tuple.replacing("c3d4e5", with: "c3z4e5") + "\n", .hex),
    ("much hex with a comma", String(repeating: tuple + "\n", count: 9) + "51,80", .hex),
    ("CSV of times and tokens", "1367400600,\(token)\n1367400601,\(token)\n", nil),
    ("CSV with a header", "time,token\n1367400600,\(token)\n", nil),
    ("a checksum of standard input", "\(token)  -\n", nil),
    ("checksums", "\(token)  dump.bin\n", nil),
    ("JSON", "{\"token\":\"\(token)\"}\n", nil),
    ("JSON of numbers", "[1, 2, 3, 4, 5, 60, 7000]\n", nil),
    ("UUIDs", "0b6e5f2c-77aa-4f0e-9b1d-2f6c54e3a901\n", nil),
    ("prose", "The server closes the connection after an error. Nothing is sent on success.\n", nil),
    ("source code", "let face = decade(0xbeef) // add 1\nfor i in 0..<4 { print(i) }\n", nil),
    ("a list of words", "password\nsunshine\nbaseball\nfootball\nprincess\n", nil),
    ("one word", "password\n", nil),
    ("names in capitals and small letters", "HelloWorldFooBar\n", nil),
    ("PEM", "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUB2x8mQ==\n-----END CERTIFICATE-----\n", nil),
    ("base64 of a tuple", "UYCWEAAgobLD1OX2BxgpOktcbX6PkKGyw9Tl9gcYKTpLXG1+j5A=\n", .base64),
    ("base64 that is cut", "UYCWEAAgobLD1OX2BxgpOktcbX6PkKGyw9Tl9gcYKTpLXG1", .base64),
    ("base64, URL-safe", "UYCWEAAgobLD1OX2BxgpOktcbX6PkKGyw9Tl9gcYKTpLXG1-j5A", .base64),
    ("base64 in lines", "UYCWEAAgobLD1OX2\nBxgpOktcbX6PkKGy\nw9Tl9gcYKTpLXG1+\nj5A=\n", .base64),
    ("base64 in uneven lines", "UYCWEAAgobLD1O\nBxgpOktcbX6PkKGyw9Tl9gc\nYKTp\nj5A=\n", nil),
    ("eight characters of base64", "UYCWaA8=", .base64),
    ("xxd", "00000000: 5180 9610  Q...\n", .xxd),
    ("xxd without text column", "00000000: 5180 9610\n00000004: 0020\n", .xxd),
    ("xxd after a first line that is damaged", "0000000z: 51  Q\n00000001: 61  a\n00000002: 62  b\n", .xxd),
    ("hexdump -C", "00000000  51 80                                             |Q.|\n00000002\n", .hexdump),
    ("hexdump -C without text column", "00000000  51 80\n00000002\n", .hexdump),
    ("empty", "", nil),
    ("white space", " \n\t\n", nil),
  ]

  @Test(arguments: cases)
  func recognises(_ name: String, _ text: String, _ expected: TextFormat?) {
    #expect(TextFormat.recognised(Array(text.utf8)) == expected)
  }

  @Test("binary data are no text")
  func binary() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      #expect(TextFormat.recognised(generator.bytes(200)) == nil)
    }
    let tuples = Hex.bytes(String(repeating: Self.tuple, count: 20)) ?? []
    #expect(TextFormat.recognised(tuples) == nil)
    #expect(TextFormat.recognised(Array(Self.tuple.utf8) + [0]) == nil)
  }

  @Test("a head that is cut anywhere is recognised", arguments: TextFormat.allCases)
  func cutHeads(_ format: TextFormat) {
    let text = TextDecoderLawTests.text(of: dumpedBytes(), as: format)
    for length in 200..<700 {
      #expect(TextFormat.recognised(Array(text.prefix(length)), isWhole: false) == format, "cut at \(length)")
    }
  }
}
