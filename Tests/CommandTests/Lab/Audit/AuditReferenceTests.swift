import CommandTestSupport
import Foundation
import Testing

/// The readers compared with an independent implementation in Python.
@Suite("Reference readers")
struct AuditReferenceTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Cases of Tests/Fixtures/readers.json, which scripts/reference_readers.py drew, read and judged.
  struct Cases: Decodable {
    struct Reader: Decodable {
      var said: [String]
      var outcome: String
      var correct: Int
      var missed: Int
      var difference: Int?
    }

    struct Stream: Decodable {
      var stream: String
      var tuples: [[Int]]
      var sizes: [Int]?
      var ends: [Int]?
      var readers: [String: Reader]

      /// The sizes of its chunks.
      var chunkSizes: [Int] { sizes ?? zip(ends ?? [], [0] + (ends ?? [])).map { $0 - $1 } }

      var bytes: [UInt8] {
        let digits = Array(stream.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
          UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
      }
    }

    var feedback: [Stream]

    static func load() throws -> Cases {
      let data = try Data(contentsOf: Repository.root.appendingPathComponent("Tests/Fixtures/readers.json"))
      return try JSONDecoder().decode(Cases.self, from: data)
    }
  }

  @Test("the readers agree with the reference readers")
  func reference() throws {
    var judgedAlike = 0
    for (number, one) in try Cases.load().feedback.enumerated() {
      try directory.write(one.bytes, to: "dump.bin")
      let options = ["--from", "raw", "--protocol", "feedback", "--token-length", "1-300", "dump.bin"]
      let rows = try directory.auditRows(options + ["--chunk-sizes", directory.writeSizes(one.chunkSizes)])
      // The script uses the tuples it generated, the command those it decoded; they agree on sound streams.
      let records = try directory.apnsift(["export", "--columns", "offset,token_length"] + options)
      let decoded = records.lines.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
      let isSound = decoded == one.tuples
      judgedAlike += isSound ? 1 : 0
      for row in rows {
        let expected = try #require(one.readers[row["name"] as? String ?? ""])
        #expect(row["records"] as? Int == expected.said.count, "case \(number): \(row)")
        #expect(row["outcome"] as? String == expected.outcome, "case \(number): \(row)")
        guard isSound else { continue }
        #expect(row["correct"] as? Int == expected.correct, "case \(number): \(row)")
        #expect(row["missed"] as? Int == expected.missed, "case \(number): \(row)")
        #expect(try AuditReading(row).difference == expected.difference, "case \(number): \(row)")
      }
    }
    #expect(judgedAlike > 30)
  }
}
