import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// `audit`: the results of the faulty readers of docs/spec/readers.md#models. Expected numbers are derived by hand from the errors
/// described there.
@Suite("Faults of readers")
struct AuditFaultTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var tuples: [Tuple]
    var options: [String]
    var readings: [String: AuditReading]

    init(_ name: String, _ tuples: [Tuple], _ options: [String], _ readings: [String: AuditReading]) {
      testDescription = name
      self.tuples = tuples
      self.options = options
      self.readings = readings
    }
  }

  private static let lastLong = tuples(2) + [Tuple(1_400_000_120, token(2, length: 54))]
  private static let late = [tuples(1)[0], Tuple(0x8000_0000, token(1))]

  static let cases: [Case] = [
    // Tuples of 38 bytes in reads of 20: no read is a tuple.
    Case(
      "reads that end inside tuples", tuples(3), ["--chunk-size", "20"],
      [
        "cookbook": AuditReading("6 0 6 3 completed", 0), "java": AuditReading("6 0 6 3 completed", 0),
        "csharp": AuditReading("3 3 0 0 completed", nil),
        // The second record takes four token bytes for a time and 257 or more bytes for a token.
        "node": AuditReading("2 0 2 3 completed", 0),
      ]),
    Case(
      "reads of whole tuples", tuples(3), ["--chunk-size", "38"],
      [
        "cookbook": AuditReading("3 3 0 0 completed", nil), "java": AuditReading("3 3 0 0 completed", nil),
        "csharp": AuditReading("3 3 0 0 completed", nil), "node": AuditReading("2 0 2 3 completed", 0),
      ]),
    // 38 bytes of the last tuple's 60 are there when its length is read.
    Case(
      "a length above the buffered bytes", lastLong, ["--chunk-size", "114"],
      [
        "csharp": AuditReading("2 2 0 1 hangs", 2),
        "cookbook": AuditReading("4 2 2 1 completed", 2), "java": AuditReading("4 2 2 1 completed", 2),
      ]),
    Case(
      "a long token in one chunk", lastLong, [],
      ["csharp": AuditReading("3 3 0 0 completed", nil)]),
    Case(
      "a time of 2^31", late, [],
      [
        "cookbook": AuditReading("2 1 1 1 completed", 1), "java": AuditReading("2 1 1 1 completed", 1),
        "csharp": AuditReading("2 1 1 1 completed", 1),
      ]),
    // 16 bytes of token: the tuple is 22 bytes long, and 38 never come.
    Case(
      "a short last tuple", tuples(1) + [Tuple(1_400_000_060, token(1, length: 16))],
      ["--token-length", "16,32"], ["csharp": AuditReading("1 1 0 1 completed", 1)]),
    // The length's first byte is 1 and means 257 bytes either way.
    Case(
      "a length with two equal bytes", [Tuple(1_400_000_000, token(1, length: 257))],
      ["--token-length", "257"],
      ["node": AuditReading("1 1 0 0 completed", nil), "csharp": AuditReading("1 1 0 0 completed", nil)]),
    Case(
      "no bytes", [], [],
      [
        "cookbook": AuditReading("0 0 0 0 completed", nil), "csharp": AuditReading("0 0 0 0 completed", nil),
        "node": AuditReading("0 0 0 0 completed", nil), "java": AuditReading("0 0 0 0 completed", nil),
      ]),
  ]

  @Test("each fault is reported", arguments: cases)
  func errors(_ one: Case) throws {
    try directory.write(feedback(one.tuples), to: "dump.bin")
    let rows = try directory.auditRows(["--protocol", "feedback", "dump.bin"] + one.options)
    #expect(rows.compactMap { $0["name"] as? String } == ["cookbook", "csharp", "node", "java"])
    for row in rows {
      let name = try #require(row["name"] as? String)
      if let expected = one.readings[name] { #expect(try AuditReading(row) == expected, "\(name)") }
      #expect(row["source"] as? String == "dump.bin")
      #expect(row["stream"] as? Int == 0)
      #expect(row.keys.contains("chunk_size") == false)
    }
  }

  @Test("the first difference has both records and a reason")
  func bothRecords() throws {
    try directory.write(feedback(Self.late), to: "late.bin")
    let late = try firstDifference(directory.auditRow("csharp", ["late.bin"]))
    #expect(late["expected"] as? String == "2147483648,\(hex(token(1)))")
    #expect(late["emitted"] as? String == "-2147483648,\(hex(token(1)))")
    let signed = Message.timeReadAsSigned(2_147_483_648, at: 38, readAs: -2_147_483_648)
    #expect(late["reason"] as? String == signed.text)

    try directory.write(feedback(tuples(2)), to: "dump.bin")
    let twice = try firstDifference(directory.auditRow("node", ["dump.bin"]))
    #expect(twice["emitted"] as? String == "1400000000,")
    #expect(twice["reason"] as? String == Message.lengthByteReadTwice(0x20, at: 4, readAs: 0).text)
    let stale = try firstDifference(
      directory.auditRow("cookbook", ["dump.bin", "--chunk-sizes", directory.writeSizes([38, 20, 18])]))
    #expect(stale["record"] as? Int == 1)
    #expect(
      stale["emitted"] as? String == "1400000060,\(hex(token(1).prefix(14) + token(0).suffix(18)))")

    try directory.write(feedback(Self.lastLong), to: "long.bin")
    let hangs = try firstDifference(directory.auditRow("csharp", ["long.bin", "--chunk-size", "114"]))
    #expect(hangs["emitted"] is Null)
    #expect(hangs["expected"] as? String == "1400000120,\(hex(token(2, length: 54)))")
  }
}
