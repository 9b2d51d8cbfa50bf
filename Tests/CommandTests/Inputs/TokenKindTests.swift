import CommandTestSupport
import Testing

/// Pushes with status 410 of tokens that are not those of devices (docs/spec/pushes.md#topics).
@Suite("Kinds of tokens in a replay")
struct TokenKindTests {
  private let directory = TestDirectory()

  /// Topic and push type of the push with the token of that index.
  private static let pushes: [(topic: String?, type: String?)] = [
    ("com.example.app", nil), ("com.example.app.push-type.liveactivity", nil),
    ("com.example.app", "liveactivity"), ("com.example.app.push-type.widgets", nil),
    ("com.example.app.push-type.controls", nil), ("com.example.app.push-type.later", nil),
    ("com.example.app.voip", "voip"), ("com.example.app.pushkit.fileprovider", nil),
    ("com.example.app.location-query", nil), ("com.example.app.complication", nil),
    ("pass.com.example.card", nil), (nil, nil), (nil, "widgets"), ("com.example.app", "alert"),
  ]

  init() throws {
    let lines = Self.pushes.enumerated().map { number, push in
      let names = [
        push.topic.map { #","topic":"\#($0)""# }, push.type.map { #","apns-push-type":"\#($0)""# },
      ]
      return
        #"{"token":"\#(hex(token(number)))","status":410,"reason":"Unregistered","timestamp":1600000000000"#
        + names.compactMap { $0 }.joined() + "}\n"
    }
    try directory.write(lines.joined(), to: "pushes.ndjson")
  }

  /// Options, the tokens that are stored, and the kinds that are left out.
  static let cases: [(options: [String], stored: [Int], leftOut: String)] = [
    (
      ["--app", "com.example.app"], [0, 11, 13],
      "device: 1 voip, 1 complication, 1 file-provider, 1 location, 2 live-activity, 1 controls, 2 widgets, "
        + "1 pass, 1 other"
    ),
    (
      ["--app", "com.example.app", "--token-kind", "live-activity"], [1, 2],
      "live-activity: 3 device, 1 voip, 1 complication, 1 file-provider, 1 location, 1 controls, 2 widgets, "
        + "1 pass, 1 other"
    ),
  ]

  @Test("only one kind enters a store; the others are counted and named", arguments: cases)
  func kinds(_ options: [String], _ stored: [Int], _ leftOut: String) throws {
    let outcome = try directory.apnsift(
      "replay pushes.ndjson --store sqlite:tokens.sqlite --create --json".words + options
    ).exits(0)
    #expect(outcome.errors.contains(leftOut), "\(outcome.errors)")
    #expect(
      Set(try directory.storedTokens(app: options[1]).map(\.token)) == Set(stored.map { token($0) }))
    let object = try Evidence.object(outcome.text)
    let others = leftOut.split(separator: " ").compactMap { Int($0) }.reduce(0, +)
    #expect(object["pushes_of_other_kinds"] as? Int == others && object["pushes"] as? Int == stored.count)
  }

  @Test("the column token_kind has them, if it is named")
  func column() throws {
    let kinds = try directory.apnsift("export pushes.ndjson --records pushes --columns token_kind".words)
    let expected =
      "token_kind device live-activity live-activity widgets controls other voip file-provider location "
      + "complication pass widgets device"
    #expect(kinds.lines == expected.words)
    let all = try directory.apnsift("export pushes.ndjson --records pushes".words)
    #expect(!all.lines[0].contains("token_kind"))
  }
}
