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

  private func value(_ name: HeaderFields.Name, in fields: HeaderFields) -> String? {
    fields[name].map { String(decoding: fields.bytes[$0], as: UTF8.self) }
  }

  private func read(_ block: [UInt8], _ table: HeaderTable, _ fields: inout HeaderFields) -> HeaderTable
    .HeaderError?
  {
    table.read(block.span.bytes, into: &fields)
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
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    let others = [name.dropLast() + "_", "_" + name.dropFirst(), name + "s"].flatMap {
      Self.literal(String($0), [0x31])
    }
    let block = others + Self.literal(name, [0x32, 0x33]) + Self.literal(name, [0x34])
    for _ in 1...2 {
      #expect(read(block, table, &fields) == nil && !fields.hasLost)
      #expect(fields.bytes == [0x32, 0x33])
      for other in HeaderFields.Name.allCases {
        #expect(value(other, in: fields) == (other == field ? "23" : nil))
      }
    }
  }

  @Test("a value of more than 4096 bytes is lost", arguments: [(0, false), (4096, false), (4097, true)])
  func longValue(_ length: Int, _ isLost: Bool) {
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    let value = [UInt8](repeating: 0x61, count: length)
    let block = Self.literal(":path", value) + Self.literal(":method", [0x62])
    #expect(read(block, table, &fields) == nil && fields.hasLost == isLost)
    #expect(fields[.path]?.count == (isLost ? nil : length))
    #expect(self.value(.method, in: fields) == "b")
  }

  @Test("all fields are those that another library reads", arguments: sequences.keys.sorted())
  func whole(name: String) throws {
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    for block in try #require(Self.sequences[name]) {
      #expect(read(block.bytes, table, &fields) == nil && !fields.hasLost)
      for (field, name) in Self.names { #expect(value(field, in: fields) == block[name]) }
    }
  }

  @Test("after a loss no field is wrong, and what is absent is lost", arguments: sequences.keys.sorted())
  func lost(name: String) throws {
    let blocks = try #require(Self.sequences[name])
    for gap in blocks.indices {
      for isUsed in [false, true] {
        let table = HeaderTable()
        var fields = HeaderFields()
        if isUsed {
          table.begin()
          for block in blocks[..<gap] { _ = read(block.bytes, table, &fields) }
          table.lose()
        }
        for block in blocks[(isUsed ? min(gap + 1, blocks.count) : gap)...] {
          #expect(read(block.bytes, table, &fields) == nil)
          for (field, name) in Self.names {
            let found = value(field, in: fields)
            #expect(found == block[name] || found == nil && fields.hasLost)
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
      let table = HeaderTable()
      var fields = HeaderFields()
      #expect(read(block, table, &fields) == nil && fields.hasLost && value(.method, in: fields) == "POST")
      table.begin()
      #expect(read(block, table, &fields) == .malformed && fields.hasLost && fields[.method] == nil)
      #expect(read(block, table, &fields) == nil && fields.hasLost)
    }
  }

  @Test("a list of fields above the limit is not read to its end")
  func bomb() {
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    let name = [UInt8](repeating: 0x78, count: 4000)
    let bomb = [0x40, 0x7f, UInt8((4000 - 127) & 0x7f | 0x80), UInt8((4000 - 127) >> 7)] + name + [0]
    #expect(read(bomb + [UInt8](repeating: 0xbe, count: 100_000), table, &fields) == .tooLong)
    #expect(fields.hasLost && fields.bytes.isEmpty)
    #expect(read([0x83, 0xbe], table, &fields) == nil && fields.hasLost)
  }

  @Test(
    "damaged blocks are malformed",
    arguments: [
      [0xff], [0x40], [0x40, 0x81], [0x80], [0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x00, 0x05, 0x61],
    ]
      as [[UInt8]])
  func malformed(block: [UInt8]) {
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    #expect(read(block, table, &fields) == .malformed && fields.hasLost)
  }

  @Test("a thousand malformed blocks cost little")
  func many() {
    let table = HeaderTable()
    var fields = HeaderFields()
    for _ in 0..<1000 { #expect(read([0x80], table, &fields) == .malformed) }
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
    let table = HeaderTable()
    table.begin()
    var fields = HeaderFields()
    let name = Array("apns-priority".utf8)
    let block = [0, UInt8(name.count)] + name + [UInt8(text.utf8.count)] + Array(text.utf8)
    #expect(read(block, table, &fields) == nil && fields.number(.priority) == expected)
  }
}
