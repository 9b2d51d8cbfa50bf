import Basics
import CommandTestSupport
import Testing
import Wording

#if os(Linux)
  /// Libraries that only some inputs or stores need are loaded for them. Here invalid files replace them.
  @Suite("Libraries that cannot be loaded")
  struct MissingLibraryTests {
    private let directory = TestDirectory()

    init() throws {
      let libraries = [
        "libpq.so.5", "libpcap.so.0.8", "libpcap.so.1", "libyaml-0.so.2", "libnghttp2.so.14", "libz.so.1",
        "libzstd.so.1", "liblz4.so.1", "liblzma.so.5", "libbz2.so.1.0", "libbz2.so.1",
      ]
      for name in libraries { try directory.write([0], to: name) }
      try directory.write(feedback(tuples(3)), to: "dump.bin")
    }

    private func run(_ line: String) throws -> Outcome {
      try directory.apnsift(line.words, environment: ["LD_LIBRARY_PATH": directory.path(of: ".")])
    }

    @Test("a PostgreSQL store names the package that it needs, and a URI is not wrong for it")
    func libpq() throws {
      let problem = StoreError.noLibrary("libpq.so.5", package: "libpq5", elsewhere: "libpq")
      let outcome = try run("store list --store postgresql://me:secret@/db")
        .exits(2, saying: .storeFailed("postgresql://me@/db", problem))
      #expect(!outcome.errors.contains("secret"))
    }

    @Test("a SQLite store names the package that it needs, and leaves no file")
    func sqlite() throws {
      try directory.write([0], to: "libsqlite3.so.0")
      let problem = StoreError.noLibrary("libsqlite3.so.0", package: "libsqlite3-0", elsewhere: "sqlite")
      try run("replay dump.bin --store sqlite:tokens.sqlite --create")
        .exits(2, saying: .storeFailed("sqlite:tokens.sqlite", problem))
      try run("export dump.bin -o case.sqlite").exits(2, saying: "case.sqlite cannot be written: ")
        .exits(2, saying: "libsqlite3-0")
      #expect(!directory.exists("tokens.sqlite") && !directory.exists("case.sqlite"))
    }

    @Test(
      "a filter and a mapping file name the package that they need",
      arguments: [
        ("inspect --filter tcp dump.bin", "--filter", "libpcap0.8"),
        ("store list --store sqlite:devices.sqlite --mapping devices.yml", "devices.yml: ", "libyaml-0-2"),
      ])
    func needed(_ line: String, _ what: String, _ package: String) throws {
      try directory.write("table: devices\n", to: "devices.yml")
      let outcome = try run(line).exits(64)
      #expect(outcome.errors.contains(what) && outcome.errors.contains(package))
    }

    /// Files that begin as compressed ones do, and the library and the package that the message names.
    static let compressions: [(name: String, magic: [UInt8], names: [String])] = [
      ("gzip", [0x1f, 0x8b, 8, 0], ["libz.so.1", "zlib1g"]),
      ("zstd", [0x28, 0xb5, 0x2f, 0xfd, 0], ["libzstd.so.1", "libzstd1"]),
      ("lz4", [0x04, 0x22, 0x4d, 0x18, 0x40], ["liblz4.so.1", "liblz4-1"]),
      ("xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0], ["liblzma.so.5", "liblzma5"]),
      ("bzip2", Array("BZh91AY&SY".utf8), ["libbz2.so.1.0", "libbz2-1.0"]),
    ]

    @Test("a compressed file names the package that it needs, and others are read", arguments: compressions)
    func compressed(_ name: String, _ magic: [UInt8], _ names: [String]) throws {
      try directory.write(magic + [UInt8](repeating: 7, count: 100), to: name)
      let outcome = try run("export \(name) dump.bin").exits(2)
      for name in names { #expect(outcome.errors.contains(name), "\(outcome.errors)") }
      #expect(outcome.lines.count == 4)
    }

    @Test("pushes without fields have a finding in each direction that names the package")
    func libnghttp2() throws {
      let capture = Repository.path(of: "samples/pushes/httpx-clear.pcap")
      let lines = try run("export --records findings \(capture)").lines.filter {
        $0.contains("libnghttp2-14")
      }
      for direction in ["client", "server"] {
        #expect(lines.contains { $0.contains(direction) }, "\(lines)")
      }
    }

    @Test("what needs none of them does its work")
    func none() throws {
      try run("inspect dump.bin").exits(0)
      try run("replay dump.bin --store sqlite:tokens.sqlite --create").exits(0)
    }
  }
#endif
