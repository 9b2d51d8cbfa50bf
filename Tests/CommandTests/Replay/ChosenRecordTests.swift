import CommandTestSupport
import Testing

/// `export --token` and `export --flagged`, over inputs of all kinds. Each export is compared with the lines that a plain
/// search finds in the export of everything.
@Suite("Export of chosen records")
struct ChosenRecordTests {
  private let directory = TestDirectory()

  /// Recordings, each with the column of its kind that has the flags.
  private static let inputs = [
    "samples/unusual-length.bin", "samples/gateway-odd-frames.requests.bin",
    "samples/pushes/httpx-clear.pcap", "samples/pushes/httpx-clear-late.pcap",
    "samples/captures/gateway.pcap",
  ]

  private func lines(_ input: String, _ options: [String]) throws -> [Substring] {
    let outcome = try directory.apnsift(["export", Repository.path(of: input), "-t", "ndjson"] + options)
      .exits(0)
    return outcome.text.split(separator: "\n").filter { line in
      ["feedback", "request", "response", "push"].contains { line.hasPrefix(#"{"type":"\#($0)""#) }
    }
  }

  @Test("--flagged has the records with flags", arguments: inputs)
  func flagged(_ input: String) throws {
    let all = try lines(input, [])
    #expect(try lines(input, ["--flagged"]) == all.filter { !$0.contains(#""flags":[]"#) })
  }

  @Test("--token has the records of a token", arguments: inputs)
  func token(_ input: String) throws {
    let all = try lines(input, [])
    let tokens = Set(
      all.compactMap { $0.split(separator: #""token":""#).dropFirst().first?.prefix { $0 != "\"" } })
    #expect(tokens.contains { !$0.isEmpty })
    for token in tokens.sorted().prefix(4) where !token.isEmpty {
      let found = try lines(input, ["--token", String(token)])
      #expect(found == all.filter { $0.contains("\"token\":\"\(token)\"") })
    }
  }

  @Test("the last line counts the records that were written")
  func count() throws {
    let input = Repository.path(of: "samples/unusual-length.bin")
    let outcome = try directory.apnsift("export", input, "--flagged")
    #expect(outcome.text.split(separator: "\n").count == 2)
    #expect(outcome.errors.contains("exported 1 record of 1 input"))
  }
}
