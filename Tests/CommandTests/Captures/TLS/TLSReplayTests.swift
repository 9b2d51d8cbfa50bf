import CaptureWriting
import CommandTestSupport
import Testing

/// The app that a client's certificate names decides whose feedback a capture is.
@Suite("Replays of TLS captures")
struct TLSReplayTests {
  private let directory = TestDirectory()
  private let replay = "replay capture.pcap --store sqlite:tokens.sqlite --create --keys".words

  init() throws {
    let flow = TLSFlow("openssl-1.2-client-certificate.flow")
    try directory.writeCapture(flow.segments)
    try directory.write(flow.keyLog, to: "keys.log")
  }

  @Test("its own app", arguments: [[], ["--app", "com.example.app"]])
  func own(_ options: [String]) throws {
    try directory.apnsift(replay + ["keys.log"] + options).exits(0)
    let listed = try directory.apnsift("store list --store sqlite:tokens.sqlite --dead -t csv".words)
    #expect(listed.lines.count == 41)
  }

  @Test("another app is refused, unless it is accepted", arguments: [[], ["--dry-run"]])
  func other(_ options: [String]) throws {
    let arguments = replay + ["keys.log", "--app", "com.example.other"] + options
    let refused = try directory.apnsift(arguments).exits(2, saying: "com.example.app")
    #expect(refused.output.isEmpty)
    try directory.apnsift(arguments + ["--other-app"]).exits(0, saying: "com.example.app")
  }

  @Test("a missing file of keys leaves no store")
  func missingKeys() throws {
    try directory.apnsift(replay + ["none.log"]).exits(2)
    #expect(!directory.exists("tokens.sqlite"))
  }
}
