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

    private func run(_ arguments: String...) throws -> Outcome {
      try directory.apnsift(arguments, environment: ["LD_LIBRARY_PATH": directory.path(of: ".")])
    }

    @Test("a PostgreSQL store names the package that it needs, and a URI is not wrong for it")
    func libpq() throws {
      let outcome = try run("store", "list", "--store", "postgresql://me:secret@/db").exits(2)
      let problem = StoreError.noLibrary("libpq.so.5", package: "libpq5", elsewhere: "libpq")
      #expect(outcome.said(.storeFailed("postgresql://me@/db", problem)))
      #expect(!outcome.errors.contains("secret"))
    }

    @Test("a SQLite store names the package that it needs, and leaves no file")
    func sqlite() throws {
      try directory.write([0], to: "libsqlite3.so.0")
      let outcome = try run("replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--create").exits(2)
      let problem = StoreError.noLibrary("libsqlite3.so.0", package: "libsqlite3-0", elsewhere: "sqlite")
      #expect(outcome.said(.storeFailed("sqlite:tokens.sqlite", problem)))
      #expect(!directory.exists("tokens.sqlite"))
      let export = try run("export", "dump.bin", "-o", "case.sqlite").exits(2)
      #expect(
        export.errors.contains("case.sqlite cannot be written: ") && export.errors.contains("libsqlite3-0"))
      #expect(!directory.exists("case.sqlite"))
    }

    @Test("a filter names the package that it needs")
    func libpcap() throws {
      let outcome = try run("inspect", "--filter", "tcp", "dump.bin").exits(64)
      #expect(outcome.errors.contains("--filter") && outcome.errors.contains("libpcap0.8"))
    }

    @Test("a mapping file names the package that it needs")
    func libyaml() throws {
      try directory.write(Array("table: devices\n".utf8), to: "devices.yml")
      let outcome = try run("store", "list", "--store", "sqlite:devices.sqlite", "--mapping", "devices.yml")
        .exits(64)
      #expect(outcome.errors.contains("devices.yml: ") && outcome.errors.contains("libyaml-0-2"))
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
      let outcome = try run("export", name, "dump.bin").exits(2)
      for name in names { #expect(outcome.errors.contains(name), "\(outcome.errors)") }
      #expect(outcome.lines.count == 4)
    }

    @Test("pushes without fields have a finding in each direction that names the package")
    func libnghttp2() throws {
      let outcome = try run(
        "export", "--records", "findings", Repository.path(of: "samples/pushes/httpx-clear.pcap"))
      for direction in ["client", "server"] {
        #expect(
          outcome.lines.contains { $0.contains(direction) && $0.contains("libnghttp2-14") }, "\(outcome.text)"
        )
      }
    }

    @Test("what needs none of them does its work")
    func none() throws {
      #expect(try run("inspect", "dump.bin").code == 0)
      try run("replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--create").exits(0)
    }
  }
#endif
