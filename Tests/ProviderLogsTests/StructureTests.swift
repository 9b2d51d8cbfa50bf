import Testing

/// Objects of several lines, texts in texts, and what only looks like them.
@Suite("docs/spec/provider-logs.md#several-lines") struct StructureTests {
  private static let token = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"

  @Test(
    "A list longer than a line may be, in one line and in many", arguments: ["", "\n  "], [false, true])
  func longList(_ blank: String, isOfLists: Bool) throws {
    let device = "\(blank){\(blank)\"device\":\"\(Self.token)\",\"status\":\"400\"\(blank)}"
    let element = isOfLists ? "\(blank){\"failed\":[\(device)]}" : device
    let failed = Array(repeating: element, count: 2000).joined(separator: ",")
    let log =
      "{\"sent\":[{\"device\":\"ab\"}],\(blank)\"failed\":[\(failed)\(blank)]\(blank.isEmpty ? "" : "\n")}\n"
    for chunk in [1 << 20, 1000] {
      let pushes = try DecodedLog(log, chunk: chunk).pushes
      #expect(pushes.count == 2001)
      #expect(pushes.first?.hasSuffix("token=ab status=200 status-inferred") == true)
      #expect(pushes.dropFirst().allSatisfy { $0.hasSuffix("token=\(Self.token) status=400") })
    }
  }

  @Test(
    "Brackets without end take linear time, and bodies without end in a line do not nest",
    .timeLimit(.minutes(1)),
    arguments: [
      ("", "{\n"), ("", " x {\n"), ("", "[[[["), ("", "{(["), ("", "[{"), ("", "[{\"sent\":["),
      ("> POST /3/device/aa HTTP/2\n> \n< HTTP/2 410\n", "{\"}"),
    ])
  func open(_ head: String, _ text: String) throws {
    let log = head + String(repeating: text, count: 300_000)
    #expect(try DecodedLog(log).extents.reduce(0) { $0 + $1.count } == log.utf8.count)
  }
}
