import Basics
import CommandTestSupport
import Foundation
import Testing

/// Tables of one kind in CSV, NDJSON and Arrow, and directories with a table of each kind (docs/formats.md#outputs).
@Suite("Tables") struct TableTests {
  private let directory = TestDirectory()

  private let session = Repository.path(of: "samples/tls-session.bin")
  private let gateway = Repository.path(of: "samples/captures/gateway.pcap")
  private var inputs: [String] {
    [gateway] + ["cut-tail.bin", "pushes/httpx-clear-late.pcap"].map { Repository.path(of: "samples/\($0)") }
  }

  static let kinds =
    "feedback requests responses pushes broadcasts channels streams findings tokens inputs".words

  @Test("a directory has the tables that single exports write", arguments: ["csv", "arrow"])
  func directoryOfTables(format: String) throws {
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
    let columns = ["stream_offset", "command", "token", "outcome", "outcome_status", "identifier"]
    let options = ["--records", "requests", "--columns", columns.joined(separator: ","), gateway]
    let lines = try directory.apnsift(["export", "-t", "ndjson"] + options).lines
    let csv = try directory.apnsift(["export"] + options)
    #expect(lines.count == csv.rows.count && csv.lines.first == columns.joined(separator: ","))
    for (line, row) in zip(lines, csv.rows) {
      let members = zip(columns, row).map { name, value in
        let isText = name == "token" || name == "outcome"
        return "\"\(name)\":" + (value.isEmpty ? "null" : isText ? "\"\(value)\"" : value)
      }
      #expect(line == "{\(members.joined(separator: ","))}")
    }
  }

  @Test("stream_offset is offset in every kind that has it") func alias() throws {
    for kind in ["feedback", "requests", "responses", "pushes", "findings"] {
      let rows = try directory.apnsift(
        ["export", "--records", kind, "--columns", "offset,stream_offset"] + inputs
      ).rows
      #expect(!rows.isEmpty && rows.allSatisfy { $0.count == 2 && $0[0] == $0[1] }, "\(kind)")
    }
  }

  @Test("a stream of Arrow begins with its schema and ends with its mark, also without rows")
  func arrowFrame() throws {
    for kind in Self.kinds {
      let output = try directory.apnsift("export -t arrow --records \(kind) \(session)".words).exits(0).output
      #expect(output.count % 8 == 0)
      #expect(output.prefix(4) == [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(output.suffix(8) == [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    }
  }

  @Test("a directory with files needs --force, and a failed export leaves none") func occupied() throws {
    try directory.write("x", to: "tables/other.txt")
    let export = ["export", "-o", "tables", session]
    try directory.apnsift(export).exits(2, saying: "tables is not empty")
    #expect(try directory.names(in: "tables") == ["other.txt"])
    try directory.apnsift(export + ["--force"]).exits(0)
    #expect(try directory.names(in: "tables").count == Self.kinds.count + 2)
  }
}
