import CommandTestSupport
import Testing

/// `verify --over tcp` and `--over tls`: readers that connect.
@Suite("Readers that connect") struct VerifyServerTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.addCase("one", feedback(tuples(4)), more: "chunks: [20, 33, 50]\n")
    try directory.addCase("other", feedback(tuples(40)))
  }

  /// Begins a reader in Python: `connect` connects it, and `print_tuples` prints the tuples of bytes.
  private static let connecting = """
    import os, struct, sys, time
    host = os.environ.get("APNSIFT_HOST")
    def connect():
        import socket
        return socket.create_connection((host, int(os.environ["APNSIFT_PORT"])))
    def print_tuples(stream):
        for start in range(0, len(stream) - 37, 38):
            print(struct.unpack_from(">I", stream, start)[0], stream[start + 6:start + 38].hex(), sep=",")

    """

  /// Writes a reader in Python, and returns its command.
  private func reader(_ script: String) throws -> String {
    try directory.write(Self.connecting + script, to: "reader.py")
    return "python3 -S reader.py"
  }

  private func outcomes(_ arguments: String..., code: Int32) throws -> [String] {
    try directory.readings(arguments, code: code).compactMap { $0["outcome"] as? String }
  }

  @Test("chunks arrive separately", arguments: ["tcp", "tls"]) func chunks(_ over: String) throws {
    let reader = try reader(
      """
      s = connect()
      if "APNSIFT_CA" in os.environ:
          import ssl
          context = ssl.create_default_context(cafile=os.environ["APNSIFT_CA"])
          s = context.wrap_socket(s, server_hostname="localhost")
      sizes = []
      while chunk := s.recv(65536):
          sizes.append(len(chunk))
      print(sizes, file=sys.stderr)
      sys.exit(3)
      """)
    let outcome = try directory.testReader("--over", over, "--reader", reader)
    #expect(outcome.text.contains("  [20, 33, 50, 20, 29]\n"), "\(outcome.text)\(outcome.errors)")
  }

  @Test("how long a stream takes to come is no fault of the reader", arguments: ["stdin", "tcp", "tls"])
  func manyChunks(_ over: String) throws {
    let chunks = TestDirectory()
    try chunks.addCase("long", feedback(tuples(3000)), more: "chunks: [37]\n")
    let outcomes = try chunks.readings(
      ["--over", over, "--timeout", "2", "--reader", Readers.right], code: 0
    ).map { $0["outcome"] as? String }
    #expect(outcomes == ["completed"])
  }

  @Test("the time limit begins again at each read") func steadyReader() throws {
    let reader = try reader(
      """
      stream = b""
      while chunk := os.read(0, 65536):
          stream += chunk
          time.sleep(0.04)
      print_tuples(stream)
      """)
    try directory.addCase("steady", feedback(tuples(40)), more: "chunks: [38]\n")
    let found = try outcomes("--timeout", "1", "--reader", reader, code: 0)
    #expect(found == ["completed", "completed", "completed"])
  }

  @Test("a reader that never connects, and one that does not trust the certificate, are reported")
  func absent() throws {
    let absent = try directory.readings(["--over", "tcp", "--reader", "cat"], code: 1)
    #expect(absent.allSatisfy { $0["ending"] as? String == "the reader never connected" })
    let reader = try reader(
      "import ssl; ssl.create_default_context().wrap_socket(connect(), server_hostname='localhost')")
    let trusting = try directory.readings(["--over", "tls", "--reader", reader], code: 1)
    let ending = "exit code 1; the TLS handshake with the reader failed"
    #expect(trusting.allSatisfy { ($0["ending"] as? String)?.contains(ending) == true }, "\(trusting)")
  }

  @Test(
    "certificates that must be refused",
    arguments: [
      ("", ["refused", "refused", "refused"], 0),
      ("context.check_hostname = False", ["refused", "completed", "refused"], 1),
      ("context = ssl._create_unverified_context()", ["completed", "completed", "completed"], 1),
    ] as [(String, [String], Int32)])
  func certificates(_ change: String, _ expected: [String], _ code: Int32) throws {
    let reader = try reader(
      """
      import ssl
      context = ssl.create_default_context(cafile=os.environ["APNSIFT_CA"])
      \(change)
      s = context.wrap_socket(connect(), server_hostname=host)
      stream = b""
      while chunk := s.recv(65536):
          stream += chunk
      print_tuples(stream)
      """)
    let outcomes = try directory.certificates(["--reader", reader], code: code)
    #expect(["untrusted", "other-name", "expired"].map { outcomes["certificate-\($0)"] ?? "" } == expected)
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("a reader that connects but never reads hangs, and is terminated") func hangs() throws {
    let reader = try reader("s = connect(); time.sleep(1000)")
    let found = try outcomes("--over", "tcp", "--timeout", "1", "--reader", reader, code: 1)
    #expect(found == ["hangs", "hangs"])
  }

  @Test("readers inherit no descriptors of any server", arguments: ["tcp", "tls"])
  func inheritance(_ over: String) throws {
    // Reading the list takes one more descriptor.
    let reader = try reader(
      "print(len(os.listdir('/proc/self/fd')) - 1, file=open(f'count-{os.getpid()}', 'w'))")
    for number in 0..<6 { try directory.addCase("case-\(number)", feedback(tuples(2))) }
    _ = try directory.testReader("--over", over, "--jobs", "8", "--reader", reader)
    let files = try directory.names.filter { $0.hasPrefix("count-") }
    // One more for each certificate that it must refuse.
    #expect(files.count == (over == "tls" ? 11 : 8))
    for file in files { #expect(try directory.text(of: file) == "3\n") }
  }

  @Test("a low descriptor limit reduces the number of parallel readers") func fewDescriptors() throws {
    try directory.shell(
      "ulimit -n 64; \"$APNSIFT_LAB\" verify corpus --jobs 64 --over tls -- "
        + "python3 '\(Repository.path(of: "samples/readers/reader.py"))'"
    ).exits(0)
    for number in 0..<6 { try directory.addCase("case-\(number)", feedback(tuples(2))) }
    let lowered = try directory.shell(
      "ulimit -n 40; \"$APNSIFT_LAB\" verify corpus --jobs 64 --over tcp --reader \"\(Readers.right)\""
    ).exits(0)
    // How many fit depends on the files that the command has open.
    #expect(
      lowered.messages.first?.contains("instead of 8 cases at once: a process may have 40 files open") == true
    )
    #expect(lowered.messages.last?.contains("8 of 8 streams right") == true)
  }

  @Test(
    "too few descriptors for a single reader are an error, and the certificate is removed",
    arguments: [7, 13])
  func noDescriptors(_ count: Int) throws {
    try directory.shell("ulimit -n \(count); \"$APNSIFT_LAB\" verify corpus --over tls --reader cat").exits(
      2, saying: "a process may have \(count) files open at once, and one reader needs ")
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("its standard input is empty, and it inherits our environment") func environment() throws {
    let outcome = try directory.lab(
      [
        "verify", "corpus", "--over", "tcp", "--reader",
        "cat; echo \"$OWN $APNSIFT_HOST ${APNSIFT_PORT:+port}\" >&2; exit 1",
      ], environment: ["OWN": "kept", "APNSIFT_HOST": "elsewhere"])
    #expect(outcome.text.contains("  kept 127.0.0.1 port\n"), "\(outcome.text)")
  }
}
