import CommandTestSupport
import Testing

/// Logs with lines that are longer than the head that decides the format.
@Suite("Long lines of logs")
struct LongLineTests {
  private let directory = TestDirectory()

  private static let token = String(repeating: "ab", count: 32)
  private static let object = #"{"token":"\#(token)","status":200}"#
  private static let row = "\(token),200"

  private static let long: [(name: String, line: String)] = [
    ("hex", String(repeating: "0123456789abcdef", count: 1 << 17)),
    ("a push", #"{"token":"\#(token)","status":200,"x":""# + String(repeating: "f", count: 1 << 21) + "\"}"),
  ]

  /// Lines before the long one, and after it.
  private static let logs: [(name: String, before: [String], after: [String])] = [
    ("objects", [object], [object]), ("objects, the long line first", [], [object, object]),
    ("a table", ["token,status", row], [row]), ("a table, the long row first", ["token,status"], [row, row]),
  ]

  private func export(_ kind: String, _ columns: String) throws -> [String] {
    Array(
      try directory.apnsift("export a.log --records \(kind) --columns \(columns)".words).lines.dropFirst())
  }

  @Test("are skipped, and the other lines are read", arguments: logs.indices, long.indices)
  func lines(_ log: Int, _ long: Int) throws {
    let (_, before, after) = Self.logs[log]
    let line = Self.long[long].line
    try directory.write((before + [line] + after).joined(separator: "\n") + "\n", to: "a.log")
    #expect(try export("pushes", "token,status") == [Self.row, Self.row])
    let offset = before.reduce(0) { $0 + $1.utf8.count + 1 }
    let finding = "malformed-line,\(offset),\(line.utf8.count + 1)"
    #expect(try export("findings", "code,file_offset,length") == [finding])
  }

  @Test("A long line may have nearly 4 MiB", arguments: [(4 << 20) - 1, 4 << 20])
  func ends(_ length: Int) throws {
    let long = String(repeating: "0", count: length - Self.object.utf8.count - 2)
    try directory.write("\(long)\n\(Self.object)\n", to: "a.log")
    #expect(try export("pushes", "token,status") == [Self.row])
  }

  @Test("A dump in one line stays a dump", arguments: [true, false])
  func dump(_ isHex: Bool) throws {
    let dump = feedback(tuples(60_000))
    let text = isHex ? Array(hex(dump).utf8) : try directory.tool("base64", ["-w", "0"], input: .bytes(dump))
    try directory.write(text, to: "a.log")
    #expect(try directory.apnsift("export", "a.log").lines.count == 60_001)
  }
}
