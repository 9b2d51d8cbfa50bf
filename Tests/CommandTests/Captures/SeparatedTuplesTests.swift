import CommandTestSupport
import Testing

/// Dumps of programs that saved something with each read (Tests/Fixtures/cases/examiner).
@Suite("Tuples that do not touch")
struct SeparatedTuplesTests {
  private static let cases = "Tests/Fixtures/cases/examiner"

  /// Thirty tuples each, and what the finding about their separators says.
  static let dumps: [(name: String, first: Int, stride: Int, separators: String)] = [
    ("newline-after-each.bin", 0, 39, "30 bytes at 30 locations"),
    ("buffer-40-zero-padded.bin", 0, 40, "60 bytes at 30 locations"),
    ("length-prefixed-reads.bin", 4, 42, "120 bytes at 30 locations"),
  ]

  private func rows(_ arguments: [String], _ columns: String) throws -> [[String]] {
    let outcome = try TestDirectory().apnsift(arguments + ["--columns", columns])
    #expect(outcome.code == 0, "\(outcome.errors)")
    return parseCSV(outcome.text).dropFirst().map { $0 }
  }

  @Test(
    "all are found in a named dump, in a directory and by carving; what is between is one finding",
    arguments: dumps)
  func whole(_ name: String, _ first: Int, _ stride: Int, _ separators: String) throws {
    let directory = Repository.path(of: "\(Self.cases)/strides")
    let path = "\(directory)/\(name)"
    let expected = (0..<30).map { ["\(first + stride * $0)", ""] }
    #expect(try rows(["export", path], "offset,flags") == expected)
    let inDirectory = try rows(["export", directory], "source,offset,flags").filter { $0[0] == path }
    #expect(inDirectory.map { Array($0.dropFirst()) } == expected)
    let carved = try rows(["carve", path], "file_offset,chain_length,flags")
    #expect(carved.map { $0[0] } == expected.map { $0[0] })
    #expect(carved.dropLast().allSatisfy { $0[1...] == ["30", "carved"] })
    let findings = try rows(["export", path, "--records", "findings"], "file_offset,code,severity,message")
    #expect(findings.map { $0.dropLast() } == [[first == 0 ? "38" : "0", "separating-bytes", "note"]])
    #expect(findings.first?.last?.hasPrefix(separators) == true)
  }
}
