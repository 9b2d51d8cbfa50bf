import Testing

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
    let taken = try directory.apnsift("serve", "dump.bin", "--port", server.port)
    #expect(taken.code == 2)
    #expect(taken.messages.last?.hasPrefix("port \(server.port) of 127.0.0.1 is in use") == true)
    #expect(taken.output == [])
    let unavailable = try directory.apnsift("serve", "dump.bin", "--port", "0", "--listen", "192.0.2.1")
    #expect(unavailable.code == 2)
    #expect(unavailable.messages.last?.contains("192.0.2.1 is not an address of this machine") == true)
  }

  @Test("a warning about an address that other machines can reach")
  func reachable() throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin", "--listen", "0.0.0.0", "--once")
    #expect(server.address == "0.0.0.0:\(server.port)")
    #expect(try directory.read(from: server).text == hex(ServedFeedback.bytes))
    let outcome = try server.end(by: nil)
    #expect(outcome.messages.first?.hasPrefix("warning: clients on other machines can connect") == true)
  }

  // MARK: - Arguments

  @Test(
    "arguments that do not fit",
    arguments: [
      (["--certificate", "a"], "--certificate and --key go together"),
      (["--write-certificate", "a"], "--write-certificate requires --tls"),
      (["--ask-client-certificate"], "--ask-client-certificate requires --tls"),
      (["--tls-min", "1.2"], "--tls-min requires --tls"), (["--tls", "--tls-min", "2"], "tls-min"),
      (["--pace", "0"], "--pace is 0"),
      (["--pace", "1", "--chunk-size", "3"], "--pace replays the captured chunks"),
      (["--chunk-size", "3", "--every-chunking"], "exclude each other"),
      (["--port", "65536"], "--port"), (["--listen", "nowhere"], "--listen is 'nowhere'"),
      (["--idle-timeout", "0"], "--idle-timeout is 0"), (["--stream=-1"], "--stream is -1"),
    ])
  func usage(_ options: [String], _ message: String) throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let outcome = try directory.apnsift(["serve", "dump.bin"] + options)
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
