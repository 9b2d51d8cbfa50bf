import Basics
import CommandTestSupport
import Foundation
import Testing

/// Tables of one kind in CSV, NDJSON and Arrow, and directories with a table of each kind (docs/formats.md#outputs).
@Suite("Tables") struct TableTests {
  private let directory = TestDirectory()

  private func samples(_ names: String...) -> [String] {
    names.map { Repository.root.appendingPathComponent("samples/\($0)").path }
  }

  private static let kinds = [
    "feedback", "requests", "responses", "pushes", "broadcasts", "channels", "streams", "findings", "tokens",
    "inputs",
  ]

  @Test("a directory has the tables that single exports write", arguments: ["csv", "arrow"])
  func directoryOfTables(format: String) throws {
    let inputs = samples("captures/gateway.pcap", "cut-tail.bin", "pushes/httpx-clear-late.pcap")
    try directory.apnsift(["export", "-t", format, "-o", "tables/"] + inputs).exits(0)
    let ending = format == "arrow" ? "arrows" : "csv"
    #expect(
      try directory.names(in: "tables") == (Self.kinds.map { "\($0).\(ending)" } + ["summary.json"]).sorted())
    for kind in Self.kinds {
      let one = try directory.apnsift(["export", "-t", format, "--records", kind] + inputs)
      #expect(try directory.bytes(of: "tables/\(kind).\(ending)") == one.output, "\(kind)")
    }
  }

  @Test("lines of JSON have the values of CSV, in the order of --columns") func linesOfJSON() throws {
    let inputs = samples("captures/gateway.pcap")
    let columns = ["stream_offset", "command", "token", "outcome", "outcome_status", "identifier"]
    let options = ["--records", "requests", "--columns", columns.joined(separator: ",")]
    let lines = try directory.apnsift(["export", "-t", "ndjson"] + options + inputs)
    let rows = try directory.apnsift(["export"] + options + inputs)
    #expect(lines.lines.count == rows.lines.count - 1)
    #expect(rows.lines.first == columns.joined(separator: ","))
    for (line, row) in zip(lines.lines, rows.lines.dropFirst()) {
      let values = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let members = zip(columns, values).map { name, value in
        let isText = name == "token" || name == "outcome"
        return "\"\(name)\":" + (value.isEmpty ? "null" : isText ? "\"\(value)\"" : value)
      }
      #expect(line == "{\(members.joined(separator: ","))}")
    }
  }

  @Test("stream_offset is offset in every kind that has it") func alias() throws {
    let inputs = samples("captures/gateway.pcap", "cut-tail.bin", "pushes/httpx-clear-late.pcap")
    for kind in ["feedback", "requests", "responses", "pushes", "findings"] {
      let both = try directory.apnsift(
        ["export", "--records", kind, "--columns", "offset,stream_offset"] + inputs)
      #expect(both.lines.count > 1, "\(kind)")
      for row in both.lines.dropFirst() {
        let values = row.split(separator: ",", omittingEmptySubsequences: false)
        #expect(values.count == 2 && values[0] == values[1])
      }
    }
  }

  @Test("a stream of Arrow begins with its schema and ends with its mark, also without rows")
  func arrowFrame() throws {
    for kind in Self.kinds {
      let outcome = try directory.apnsift(
        ["export", "-t", "arrow", "--records", kind] + samples("tls-session.bin")
      ).exits(0)
      #expect(outcome.output.count % 8 == 0)
      #expect(outcome.output.prefix(4) == [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(outcome.output.suffix(8) == [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    }
  }

  @Test("a directory with files needs --force, and a failed export leaves none") func occupied() throws {
    try directory.write("x", to: "tables/other.txt")
    let refused = try directory.apnsift(["export", "-o", "tables"] + samples("tls-session.bin")).exits(2)
    #expect(refused.said("tables is not empty"))
    #expect(try directory.names(in: "tables") == ["other.txt"])
    try directory.apnsift(["export", "--force", "-o", "tables"] + samples("tls-session.bin")).exits(0)
    #expect(try directory.names(in: "tables").count == Self.kinds.count + 2)
  }
}
