import APNsWire
import Basics
import APNsPushes
import Testing

@Suite("Header blocks of HTTP/2")
struct HeaderTableTests {
  static let names: [(HeaderFields.Name, String)] = [
    (.path, ":path"), (.method, ":method"), (.status, ":status"), (.topic, "apns-topic"),
    (.pushType, "apns-push-type"), (.id, "apns-id"), (.uniqueID, "apns-unique-id"),
    (.priority, "apns-priority"),
    (.expiration, "apns-expiration"), (.collapseID, "apns-collapse-id"),
    (.channelID, "apns-channel-id"), (.requestID, "apns-request-id"),
  ]
  static let sequences = HTTP2Fixture.shared?.blocks ?? [:]

  @Test("fields and texts have room for each name: their arrays have a size of their own")
  func room() {
    #expect(HeaderFields.Name.allCases.allSatisfy { HeaderFields()[$0] == nil })
    #expect(PushFields.Text.allCases.allSatisfy { PushFields()[$0] == nil })
  }

  /// A table, and the fields of the block that was read last.
  private struct Reader {
    let table = HeaderTable()
    var fields = HeaderFields()

    /// - Parameter isWhole: whether the table knows all entries.
    init(isWhole: Bool = true) { if isWhole { table.begin() } }

    mutating func read(_ block: [UInt8]) -> HeaderTable.HeaderError? {
      table.read(block.span.bytes, into: &fields)
    }

    subscript(name: HeaderFields.Name) -> String? {
      fields[name].map { String(decoding: fields.bytes[$0], as: UTF8.self) }
    }
  }

  /// A literal field with a new name (RFC 7541, section 6.2.2), and a value of up to 16 KiB.
  private static func literal(_ name: String, _ value: [UInt8]) -> [UInt8] {
    // Section 5.1: an integer with a prefix of 7 bits.
    let rest = value.count - 127
    let length =
      rest < 0
      ? [UInt8(value.count)] : [127, UInt8(rest & 0x7f | 0x80), UInt8(truncatingIfNeeded: rest >> 7)]
    return [0, UInt8(name.utf8.count)] + Array(name.utf8) + length + value
  }

  @Test("each field is known by its whole name, and the first of several counts", arguments: names)
  func name(_ field: HeaderFields.Name, _ name: String) {
    var reader = Reader()
    let others = [name.dropLast() + "_", "_" + name.dropFirst(), name + "s"].flatMap {
      Self.literal(String($0), [0x31])
    }
    let block = others + Self.literal(name, [0x32, 0x33]) + Self.literal(name, [0x34])
    for _ in 1...2 {
      #expect(reader.read(block) == nil && !reader.fields.hasLost)
      #expect(reader.fields.bytes == [0x32, 0x33])
      for other in HeaderFields.Name.allCases {
        #expect(reader[other] == (other == field ? "23" : nil))
      }
    }
  }

  @Test("a value of more than 4096 bytes is lost", arguments: [(0, false), (4096, false), (4097, true)])
  func longValue(_ length: Int, _ isLost: Bool) {
    var reader = Reader()
    let value = [UInt8](repeating: 0x61, count: length)
    let block = Self.literal(":path", value) + Self.literal(":method", [0x62])
    #expect(reader.read(block) == nil && reader.fields.hasLost == isLost)
    #expect(reader.fields[.path]?.count == (isLost ? nil : length))
    #expect(reader[.method] == "b")
  }

  @Test("all fields are those that another library reads", arguments: sequences.keys.sorted())
  func whole(name: String) throws {
    var reader = Reader()
    for block in try #require(Self.sequences[name]) {
      #expect(reader.read(block.bytes) == nil && !reader.fields.hasLost)
      for (field, name) in Self.names { #expect(reader[field] == block[name]) }
    }
  }

  @Test("after a loss no field is wrong, and what is absent is lost", arguments: sequences.keys.sorted())
  func lost(name: String) throws {
    let blocks = try #require(Self.sequences[name])
    for gap in blocks.indices {
      for isUsed in [false, true] {
        var reader = Reader(isWhole: isUsed)
        if isUsed {
          for block in blocks[..<gap] { _ = reader.read(block.bytes) }
          reader.table.lose()
        }
        for block in blocks[(isUsed ? min(gap + 1, blocks.count) : gap)...] {
          #expect(reader.read(block.bytes) == nil)
          for (field, name) in Self.names {
            let found = reader[field]
            #expect(found == block[name] || found == nil && reader.fields.hasLost)
          }
        }
      }
    }
  }

  @Test("an index without an entry is malformed with a whole table, and lost after a gap")
  func index() {
    // 61 entries are static. The integer of the last one is 61 + 1500.
    let few: [UInt8] = [0x83, 0x80 | 90]
    let many: [UInt8] = [0x83, 0xff] + [0x80 | UInt8((1561 - 127) & 0x7f), UInt8((1561 - 127) >> 7)]
    for block in [few, many] {
      var reader = Reader(isWhole: false)
      #expect(reader.read(block) == nil && reader.fields.hasLost && reader[.method] == "POST")
      reader.table.begin()
      #expect(reader.read(block) == .malformed && reader.fields.hasLost && reader.fields[.method] == nil)
      #expect(reader.read(block) == nil && reader.fields.hasLost)
    }
  }

  @Test("a list of fields above the limit is not read to its end")
  func bomb() {
    var reader = Reader()
    let name = [UInt8](repeating: 0x78, count: 4000)
    let bomb = [0x40, 0x7f, UInt8((4000 - 127) & 0x7f | 0x80), UInt8((4000 - 127) >> 7)] + name + [0]
    #expect(reader.read(bomb + [UInt8](repeating: 0xbe, count: 100_000)) == .tooLong)
    #expect(reader.fields.hasLost && reader.fields.bytes.isEmpty)
    #expect(reader.read([0x83, 0xbe]) == nil && reader.fields.hasLost)
  }

  @Test(
    "damaged blocks are malformed",
    arguments: [
      [0xff], [0x40], [0x40, 0x81], [0x80], [0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x00, 0x05, 0x61],
    ]
      as [[UInt8]])
  func malformed(block: [UInt8]) {
    var reader = Reader()
    #expect(reader.read(block) == .malformed && reader.fields.hasLost)
  }

  @Test("a thousand malformed blocks cost little")
  func many() {
    var reader = Reader(isWhole: false)
    for _ in 0..<1000 { #expect(reader.read([0x80]) == .malformed) }
  }

  @Test(
    "numbers",
    arguments: [
      ("0", 0), ("10", 10), ("1700000000", 1_700_000_000), ("", nil), ("-1", nil), ("1e3", nil),
      ("99999999999999999999", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
      ("9223372036854775810", nil), ("999999999999999999", 999_999_999_999_999_999), (":", nil), ("1:", nil),
      ("/", nil), ("1/", nil),
    ] as [(String, Int64?)])
  func numbers(text: String, expected: Int64?) {
    var reader = Reader()
    #expect(
      reader.read(Self.literal("apns-priority", Array(text.utf8))) == nil
        && reader.fields.number(.priority) == expected)
  }
}
