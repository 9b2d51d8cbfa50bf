import Basics
import CommandTestSupport
import Testing
import Wording

/// Where `serve` listens, and which arguments it refuses.
@Suite("Arguments of serve")
struct ServeUsageTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  // MARK: - Ports

  @Test("a port that is in use, one that is privileged, an address of another machine")
  func ports() throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin")
    let taken = try directory.lab("serve", "dump.bin", "--port", server.port)
    #expect(taken.code == 2)
    let port = try #require(Int(server.port))
    #expect(taken.messages.last == Message.portInUse(port, of: "127.0.0.1").text)
    #expect(taken.output == [])
    let unavailable = try directory.lab("serve", "dump.bin", "--port", "0", "--listen", "192.0.2.1")
    #expect(unavailable.code == 2)
    #expect(unavailable.messages.last == Message.addressUnavailable("192.0.2.1").text)
  }

  @Test("a warning about an address that other machines can reach")
  func reachable() throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin", "--listen", "0.0.0.0", "--once")
    #expect(server.address == "0.0.0.0:\(server.port)")
    #expect(try directory.read(from: server).text == hex(ServedFeedback.bytes))
    let outcome = try server.end(by: nil)
    #expect(
      outcome.messages.first
        == Message.warning(
          "clients on other machines can connect to 0.0.0.0 and read the captured bytes; without "
            + "--listen, only this machine can"
        ).text)
  }

  // MARK: - Arguments

  @Test(
    "arguments that do not fit",
    arguments: [
      (["--certificate", "a"], "--certificate and --key go together: give both, or neither"),
      (["--write-certificate", "a"], .needsTLS("--write-certificate")),
      (["--ask-client-certificate"], .needsTLS("--ask-client-certificate")),
      (["--tls-min", "1.2"], .needsTLS("--tls-min")),
      // The parser of arguments words it.
      (["--tls", "--tls-min", "2"], .verbatim("tls-min")),
      (["--max-pause", "1"], "--max-pause requires --pace"), (["--pace", "0"], .notAPace(0)),
      (["--pace", "1", "--chunk-size", "3"], "--pace replays the captured chunks: leave out --chunk-size"),
      (["--chunk-size", "3", "--every-chunking"], .giveOne(of: ["--chunk-size", "--every-chunking"])),
      (["--port", "65536"], "--port is 65536: give 1 to 65535, or 0 for a free port"),
      (["--listen", "nowhere"], "--listen is 'nowhere': give an IP address such as 127.0.0.1 or ::1"),
      (["--idle-timeout", "0"], "--idle-timeout is 0: give 1 second or more"),
      (["--stream=-1"], "--stream is -1: give 0 or more"),
    ] as [([String], Message)])
  func usage(_ options: [String], _ message: Message) throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let outcome = try directory.lab(["serve", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.said(message), "\(outcome.errors)")
  }
}
