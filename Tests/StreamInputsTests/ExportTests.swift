import Basics
import StreamInputs
import TestSupport
import Testing

@Suite("Streams that other tools exported")
struct ExportTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var format: ExportFormat
    var text: String
    /// As `ExportRecording.summary` and `.errorPlaces` write them.
    var expected: String
    var errors: String
    var testDescription: String { "\(format.rawValue): \(name)" }

    init(_ format: ExportFormat, _ name: String, _ text: String, _ expected: String, errors: String = "") {
      (self.name, self.format, self.text, self.expected, self.errors) = (name, format, text, expected, errors)
    }

    /// Whether lines end in carriage returns, too.
    func withCRLF() -> Case {
      Case(format, name, text.replacing("\n", with: "\r\n"), expected, errors: errors)
    }
  }

  static let cases = (raw + hex + yaml + cArrays + socat + ssldump)

  private typealias T = ExportTexts

  private static func raw(
    _ name: String, _ body: String, _ expected: String, errors: String = ""
  ) -> Case {
    Case(.followRaw, name, T.frame("tcp,raw", body), expected, errors: errors)
  }

  private static let raw: [Case] = [
    raw("both directions", "\t6162\n68\n\t63\n", "0<6162 0>68 0<63 )0"),
    Case(.followRaw, "of TLS", T.frame("tls,raw", "\t6162\n", node1: ":0"), "0<6162 )0"),
    raw("carriage returns", "\t6162\n68\n", "0<6162 0>68 )0").withCRLF(),
    raw("capitals", "ABcD\n", "0>abcd )0"),
    raw("a gap with its NUL", "\t61\n\t\(hexMark(76))00\n\t0062\n", "0<61 0<+76 0<0062 )0"),
    raw("a gap without NUL, and a NUL after it", "\t61\n\t\(hexMark(7))\n\t0062\n", "0<61 0<+7 0<0062 )0"),
    raw("a gap as the first thing of its side", "\t\(hexMark(5))00\n61\n", "0<+5 0>61 )0"),
    raw("a lone digit", "\t616\n\t62\n", "0<61 0<+1 0<62 )0", errors: "7:4"),
    raw("a bad digit", "61z263\n", "0>61 0>+1 0>63 )0", errors: "7:3"),
    raw("a bad second digit", "612z63\n", "0>61 0>+1 0>63 )0", errors: "7:4"),
    raw("several bad digits", "61zzzz63\n", "0>61 0>+2 0>63 )0", errors: "7:3"),
    Case(.followRaw, "cut at the end of a line", frameless("\t6162\n68\n"), "0<6162 0>68 )0", errors: "9:1"),
    Case(.followRaw, "cut in a byte", frameless("\t6162\n6"), "0<6162 )0", errors: "8:1 8:2"),
    Case(.followRaw, "cut in its header", "\(T.rule)\nFollow: tcp,raw\nFilter: x\n", "", errors: "4:1"),
    raw("no bytes", "", ")0"),
    Case(
      .followRaw, "two streams",
      T.frame("tcp,raw", "61\n") + T.frame("tcp,raw", "\t62\n", node0: "[2001:db8::1]:4", node1: "[::2]:5"),
      "0>61 )0 1<62 )1"),
    Case(
      .followRaw, "two streams, one as hex",
      T.frame("tcp,raw", "61\n") + T.frame("tcp,hex", T.hexLine("00000000", "62", "b")), "0>61 )0 1>62 )1"),
    Case(
      .followRaw, "a stream as ASCII among them",
      T.frame("tcp,ascii", "3\nabc\n") + T.frame("tcp,raw", "61\n"), "0>61 )0", errors: "3:1"),
    Case(.followRaw, "HTTP/2 without its frames", T.frame("http2,raw", "61\n"), "", errors: "3:1"),
    Case(
      .followRaw, "a packet list before it",
      "    1   0.000000 192.0.2.1 → 192.0.2.2 TCP 74\n" + T.frame("tcp,raw", "61\n"), "0>61 )0"),
    Case(.followRaw, "no frame", "6162\n\t63\n", "0>6162 0<63 )0"),
    Case(
      .followRaw, "a frame without end before the next", frameless("61\n") + T.frame("tcp,raw", "62\n"),
      "0>61 )0 1>62 )1"),
  ]

  private static func frameless(_ body: String) -> String {
    String(T.frame("tcp,raw", body).dropLast(T.rule.count + 1))
  }

  static func hexMark(_ length: Int) -> String {
    Hex.string(Array("[\(length) bytes missing in capture file]".utf8))
  }

  /// - Parameter lines: offset, pairs of digits and text.
  private static func hex(
    _ name: String, _ lines: [(String, String, String)], _ expected: String, errors: String = ""
  ) -> Case {
    let body = lines.map { T.hexLine($0, $1, $2) }.joined()
    return Case(.followHex, name, T.frame("tcp,hex", body), expected, errors: errors)
  }

  private static let sixteen = "61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70"

  private static let hex: [Case] = [
    hex("both directions", [("\t00000000", "61 00", "a."), ("00000000", "62", "b")], "0<6100 0>62 )0"),
    hex(
      "a full line", [("00000000", sixteen, "abcdefgh ijklmnop"), ("00000010", "71", "q")],
      "0>6162636465666768696a6b6c6d6e6f7071 )0"),
    hex(
      "eight bytes, and text that looks like digits", [("00000000", "61 62 63 64 65 66 36 31", "abcdef61")],
      "0>6162636465663631 )0"),
    Case(
      .followHex, "Wireshark's indentation, without a frame",
      T.hexLine("00000000", "61", "a") + T.hexLine("    00000000", "62", "b"), "0>61 0<62 )0"),
    hex("a missing line is a gap", [("00000000", "61", "a"), ("00000011", "62", "b")], "0>61 0>+16 0>62 )0"),
    hex(
      "a decreasing offset", [("00000000", "61 62", "ab"), ("00000001", "63", "c")], "0>616263 )0",
      errors: "8:1"),
    hex(
      "offsets go round at 2^32",
      [("7FFFFFFF", "61", "a"), ("FFFFFFFE", "62 63", "bc"), ("00000000", "64", "d")],
      "0>+2147483647 0>61 0>+2147483646 0>626364 )0"),
    hex("a bad digit", [("00000000", "61 6g 63", "abc")], "0>61 0>+1 0>63 )0", errors: "7:15"),
    hex("digits and text differ", [("00000000", "61 72 63", "abc")], "0>617263 )0", errors: "7:62"),
    Case(
      .followHex, "no offset", T.frame("tcp,hex", "hallo\n" + T.hexLine("00000000", "61", "a")), "0>61 )0",
      errors: "7:1"),
    hex(
      "a gap",
      [
        ("\t00000000", "61", "a"),
        ("\t00000001", "5b 37 20 62 79 74 65 73  20 6d 69 73 73 69 6e 67", "[7 bytes  missing"),
        ("\t00000011", "20 69 6e 20 63 61 70 74  75 72 65 20 66 69 6c 65", " in capt ure file"),
        ("\t00000021", "5d 00", "]."), ("\t00000023", "00", "."),
      ], "0<61 0<+7 0<00 )0"),
  ]

  private static func yaml(
    _ name: String, _ packets: String, _ expected: String, errors: String = ""
  ) -> Case {
    Case(.followYAML, name, T.yaml(packets), expected, errors: errors)
  }

  private static let yaml: [Case] = [
    yaml("two packets", T.packet(4, 1, "YWI=") + T.packet(6, 0, "aGFs"), "0<6162 0>68616c )0"),
    yaml("several lines", T.packet(4, 1, "YWJj\n      ZGVm\n      Zw=="), "0<61626364656667 )0"),
    yaml("carriage returns", T.packet(4, 1, "YWI="), "0<6162 )0").withCRLF(),
    yaml("two streams", T.packet(4, 1, "YWI=") + T.yaml(T.packet(9, 0, "YQ==")), "0<6162 )0 1>61 )1"),
    yaml(
      "an invalid character", T.packet(4, 1, "YWJjYW?jZGVm"), "0<616263 0<+3 0<646566 )0", errors: "13:13"),
    yaml(
      "a line with characters missing", T.packet(4, 1, "YWJjYW\n      ZGVm"), "0<616263 0<+3 0<646566 )0",
      errors: "13:13"),
    yaml(
      "a peer that is not named", T.packet(4, 7, "YWI=") + T.packet(5, 0, "YQ=="), "0>61 )0", errors: "12:5"),
    yaml("a line that says nothing", "nothing: 1\n" + T.packet(5, 0, "YQ=="), "0>61 )0", errors: "9:1"),
    Case(
      .followYAML, "cut in a group", String(T.yaml(T.packet(4, 1, "YWJjYWI=")).dropLast(3)), "0<61626361 )0",
      errors: "13:13"),
    Case(.followYAML, "cut in the peers", "peers:\n  - peer: 0\n", "", errors: "3:1"),
    Case(
      .followYAML, "the older shape",
      "# Packet 4\npeer1_0: !!binary |\n  YWI=\n# Packet 5\npeer0_0: !!binary |\n  YQ==\n", "0<6162 0>61 )0"),
    Case(
      .followYAML, "a segment missing in the older shape",
      "peer1_0: !!binary |\n  YWI=\npeer1_2: !!binary |\n  YQ==\n", "0<616261 )0", errors: "3:1"),
  ]

  /// - Parameter arrays: names and what comes after `= {`.
  private static func arrays(
    _ name: String, _ arrays: [(String, String)], _ expected: String, errors: String = ""
  ) -> Case {
    let text = arrays.map { "char \($0)[] = {\($1)" }.joined()
    return Case(.cArrays, name, text, expected, errors: errors)
  }

  private static let cArrays = [
    arrays(
      "both directions",
      [("peer0_0", " /* Packet 4 */\n0x61, 0x62 };\n"), ("peer1_0", " /* Packet 5 */\n0x63, \n0x64 };\n")],
      "0>6162 0<6364 )0"),
    arrays("on one line", [("peer1_0", " /* Packet 4 */ 0x51, 0xFe};\n")], "0<51fe )0"),
    arrays("without packets", [("peer1_0", "\n0x51,\n0x52,};\r\n")], "0<5152 )0"),
    arrays("a damaged byte", [("peer1_0", "\n0x51, 0xz2, 0x53 };\n")], "0<51 0<+1 0<53 )0", errors: "2:9"),
    arrays("a digit missing", [("peer1_0", "\n0x51, 0x2, 0x53 };\n")], "0<51 0<+1 0<53 )0", errors: "2:9"),
    arrays("cut", [("peer1_0", "\n0x51, 0x5")], "0<51 )0", errors: "2:9 2:10"),
    arrays(
      "an array missing", [("peer1_1", "\n0x51 };\n"), ("peer1_3", "\n0x52 };\n")], "0<5152 )0",
      errors: "1:1 3:1"),
    arrays("two streams", [("peer1_0", "\n0x51 };\n"), ("peer1_0", "\n0x52 };\n")], "0<51 )0 1<52 )1"),
    arrays(
      "other text between", [("peer1_0", "\n0x51 };\nhallo\n"), ("peer1_1", "\n0x52 };\n")], "0<5152 )0",
      errors: "3:1"),
  ]

  private static let socat = [
    Case(
      .socat, "-x", T.block(">", from: 0, 2, " 61 62\n") + T.block("<", from: 0, 1, " 63\n"), "0>6162 0<63 )0"
    ),
    Case(
      .socat, "-v -x",
      T.block(">", from: 0, 4, " 68 69 0d 0a                                      hi..\n--\n")
        + T.block("<", from: 0, 1, " 61                                               a\n--\n"),
      "0>68690d0a 0<61 )0"),
    Case(
      .socat, "text that looks like digits",
      T.block(">", from: 0, 5, " 36 31 20 36 32                                   61 62\n--\n"),
      "0>3631203632 )0"),
    Case(
      .socat, "messages between",
      "2024/01/01 12:00:00 socat[47] N listening\n" + T.block(">", from: 0, 1, " 61\n")
        + "2024/01/01 12:00:00 host socat[47] N socket 1 (fd 6) is at EOF\n", "0>61 )0"),
    Case(
      .socat, "a block missing", T.block(">", from: 0, 1, " 61\n") + T.block(">", from: 5, 1, " 62\n"),
      "0>61 0>+4 0>62 )0"),
    Case(.socat, "the beginning missing", T.block("<", from: 7, 1, " 61\n"), "0<+7 0<61 )0"),
    Case(
      .socat, "a new connection", T.block("<", from: 0, 1, " 61\n") + T.block("<", from: 0, 1, " 62\n"),
      "0<61 )0 1<62 )1"),
    Case(
      .socat, "a decreasing offset",
      T.block("<", from: 0, 3, " 61 62 63\n") + T.block("<", from: 1, 1, " 62\n"),
      "0<61626362 )0", errors: "3:1"),
    Case(
      .socat, "a block too short", T.block("<", from: 0, 3, " 61\n") + T.block("<", from: 3, 1, " 62\n"),
      "0<61 0<+2 0<62 )0", errors: "3:1"),
    Case(.socat, "a block too long", T.block("<", from: 0, 1, " 61 62\n"), "0<61 )0", errors: "2:5"),
    Case(
      .socat, "cut", String(T.block("<", from: 0, 3, " 61 62 63\n").dropLast(2)), "0<6162 0<+1 )0",
      errors: "2:8 2:9"),
    Case(.socat, "a bad digit", T.block("<", from: 0, 3, " 61 6x 63\n"), "0<61 0<+1 0<63 )0", errors: "2:6"),
    Case(
      .socat, "an unrelated line", "hallo\n" + T.block("<", from: 0, 1, " 61\n"), "0<61 )0", errors: "1:1"),
  ]

  /// Of one connection, whose first record has the number 11.
  /// - Parameter records: direction and body.
  private static func ssldump(
    _ name: String, _ records: [(String, String)], _ expected: String, errors: String = ""
  ) -> Case {
    let text = records.enumerated().map { T.record(1, 11 + $0.offset, $0.element.0, $0.element.1) }.joined()
    return Case(.ssldump, name, T.connection(1) + text, expected, errors: errors)
  }

  private static let ssldump = [
    ssldump(
      "hex",
      [
        ("S>C", "    71 00 72                                           q.r\n"),
        ("C>S", "    00 72                                              .r\n"),
      ], "0<710072 0>0072 )0"),
    ssldump("-X", [("S>C", "    71 00 72 \n")], "0<710072 )0"),
    ssldump("-A", [("S>C V3.3(52)", "    71 00 72 \n")], "0<710072 )0"),
    ssldump("text with a newline", [("C>S", "    ab\n")], "0>61620a )0"),
    Case(
      .ssldump, "text without a newline",
      T.connection(1) + T.record(1, 11, "C>S", "    ab\n    c").replacing("c    -", with: "c-"),
      "0>61620a63 )0"),
    Case(
      .ssldump, "text that is two digits",
      T.connection(1) + T.record(1, 11, "C>S", "    59 68").replacing("8    -", with: "8-"),
      "0>3539203638 )0"),
    ssldump("text with a carriage return", [("C>S", "    a\r\n")], "0>610d0a )0"),
    ssldump("carriage returns at all line ends", [("C>S", "    a\n")], "0>610a )0").withCRLF(),
    Case(
      .ssldump, "handshake and packet data around it",
      T.connection(1) + "1 1  0.0143 (0.0143)  C>S  Handshake\n      ClientHello\n"
        + T.record(1, 11, "S>C", "    71 00 72 \n") + "Packet data[57]=\n  17 03 03 00\n\n", "0<710072 )0"),
    Case(
      .ssldump, "two connections that mix",
      T.connection(1) + T.connection(2) + T.record(2, 11, "S>C", "    00 \n")
        + T.record(1, 11, "S>C", "    01 \n")
        + "2    1.8786 (0.0000)  S>C  TCP FIN\n2    1.8786 (0.0000)  C>S  TCP FIN\n"
        + T.record(1, 12, "S>C", "    02 \n"), "1<00 0<01 )1 0<02 )0"),
    Case(
      .ssldump, "a connection that was reset, and its number again",
      T.connection(1) + T.record(1, 11, "S>C", "    00 \n") + "1    1.8786 (0.0000)  S>C  TCP RST\n"
        + T.connection(1) + T.record(1, 11, "S>C", "    01 \n"), "0<00 )0 1<01 )1"),
    Case(
      .ssldump, "a connection without its client",
      "New TCP connection #1: <-> 192.0.2.2(2196)\n" + T.record(1, 11, "S>C", "    00 \n"), "0<00 )0"),
    Case(.ssldump, "a connection that was not named", T.record(7, 11, "S>C", "    00 \n"), "0<00 )0"),
    Case(
      .ssldump, "data that were not decrypted",
      T.connection(1)
        + "1 11 0.2913 (0.2683)  S>C  application_data\n1 12 0.2913 (0.2683)  S>C  application_data\n", ")0",
      errors: "2:1 3:1"),
    Case(
      .ssldump, "cut",
      T.connection(1) + "1 11 0.2 (0.2)  S>C  application_data\n\(T.dashes)\n    00 01", "0<0001 )0",
      errors: "4:10"),
    ssldump("a bad digit", [("S>C", "    00 \n    0x 01 \n")], "0<00 0<+1 0<01 )0", errors: "5:6"),
  ]

  @Test(arguments: cases)
  func reads(_ example: Case) {
    let recording = ExportRecording.of(Array(example.text.utf8), as: example.format)
    #expect(recording.summary == example.expected)
    #expect(recording.errorPlaces == example.errors)
    #expect(recording.misuse == [])
  }

  @Test("any blocks give the same", arguments: cases)
  func anyBlocks(_ example: Case) {
    let text = Array(example.text.utf8)
    let whole = ExportRecording.of(text, as: example.format)
    for size in 1...40 {
      let recording = ExportRecording.of(text, as: example.format, blockSize: { size })
      #expect(recording == whole, "blocks of \(size)")
    }
  }

  @Test("cut anywhere, or with any byte changed, it is read to its end", arguments: cases)
  func damaged(_ example: Case) {
    let text = Array(example.text.utf8)
    var generator = SeededGenerator(seed: 5)
    for cut in 0..<text.count {
      #expect(ExportRecording.of(Array(text[..<cut]), as: example.format).misuse == [])
      var changed = text
      changed[cut] = generator.pick([0, 0x0a, 0x20, 0x30, 0x66, 0x7d, 0xff])
      for format in ExportFormat.allCases {
        #expect(ExportRecording.of(changed, as: format).misuse == [])
      }
    }
  }
}
