import Foundation
import Testing

/// `verify --over tcp` and `--over tls`: readers that connect.
@Suite("Readers that connect")
struct VerifyServerTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    try directory.addCase("one", feedback(tuples(4)), more: "chunks: [20, 33, 50]\n")
    try directory.addCase("other", feedback(tuples(40)))
  }

  private func outcomes(_ arguments: String..., code: Int32) throws -> [String] {
    try directory.readings(arguments, code: code).compactMap { $0["outcome"] as? String }
  }

  @Test("a right reader is right", arguments: ["tcp", "tls"])
  func right(_ over: String) throws {
    #expect(try outcomes("--over", over, "--reader", Readers.right, code: 0) == ["completed", "completed"])
    // Nothing is left of the certificate.
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("chunks come one by one", arguments: ["tcp", "tls"])
  func chunks(_ over: String) throws {
    let script = """
      import os, socket, ssl, sys
      s = socket.create_connection((os.environ["APNSIFT_HOST"], int(os.environ["APNSIFT_PORT"])))
      if "APNSIFT_CA" in os.environ:
          context = ssl.create_default_context(cafile=os.environ["APNSIFT_CA"])
          s = context.wrap_socket(s, server_hostname="localhost")
      sizes = []
      while chunk := s.recv(65536):
          sizes.append(len(chunk))
      print(sizes, file=sys.stderr)
      sys.exit(3)
      """
    try directory.write(script, to: "sizes.py")
    let outcome = try directory.verify("--over", over, "--reader", "python3 sizes.py")
    #expect(outcome.text.contains("  [20, 33, 50, 20, 29]\n"), "\(outcome.text)\(outcome.errors)")
  }

  @Test("one that never connects, and one that trusts nobody, are told so")
  func absent() throws {
    let absent = try directory.readings(["--over", "tcp", "--reader", "cat"], code: 1)
    #expect(absent.allSatisfy { $0["ending"] as? String == "the reader never connected" })
    let script =
      "import os, socket, ssl; ssl.create_default_context().wrap_socket(socket.create_connection("
      + "(os.environ['APNSIFT_HOST'], int(os.environ['APNSIFT_PORT']))), server_hostname='localhost')"
    try directory.write(script, to: "trusts.py")
    let trusting = try directory.readings(["--over", "tls", "--reader", "python3 trusts.py"], code: 1)
    #expect(
      trusting.allSatisfy { ($0["ending"] as? String)?.contains("exit code 1; there was no TLS") == true },
      "\(trusting)")
  }

  @Test("one that connects and never reads hangs, and is ended")
  func hangs() throws {
    let script =
      "import os, socket, time; s = socket.create_connection((os.environ['APNSIFT_HOST'], "
      + "int(os.environ['APNSIFT_PORT']))); time.sleep(1000)"
    try directory.write(script, to: "sleeps.py")
    #expect(
      try outcomes("--over", "tcp", "--timeout", "1", "--reader", "python3 sleeps.py", code: 1) == [
        "hangs", "hangs",
      ])
  }

  @Test("its standard input is empty, and its environment is ours besides")
  func environment() throws {
    let outcome = try directory.apnsift(
      [
        "verify", "corpus", "--over", "tcp", "--reader",
        "cat; echo \"$OWN $APNSIFT_HOST ${APNSIFT_PORT:+port}\" >&2; exit 1",
      ],
      environment: ["OWN": "kept", "APNSIFT_HOST": "elsewhere"])
    #expect(outcome.text.contains("  kept 127.0.0.1 port\n"), "\(outcome.text)")
  }
}
