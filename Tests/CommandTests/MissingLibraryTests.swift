import Messages
import Testing

#if os(Linux)
  /// SQLite, libpq, libpcap and libyaml are loaded when they are needed. Here invalid files replace them.
  @Suite("Libraries that cannot be loaded")
  struct MissingLibraryTests {
    private let directory: TestDirectory

    init() throws {
      directory = try TestDirectory()
      for name in ["libpq.so.5", "libpcap.so.0.8", "libpcap.so.1", "libyaml-0.so.2"] {
        try directory.write([0], to: name)
      }
      try directory.write(feedback(tuples(3)), to: "dump.bin")
    }

    private func run(_ arguments: String...) throws -> Outcome {
      try directory.apnsift(arguments, environment: ["LD_LIBRARY_PATH": directory.path(of: ".")])
    }

    @Test("a PostgreSQL store names the package that it needs, and a URI is not wrong for it")
    func libpq() throws {
      let outcome = try run("store", "list", "--store", "postgresql://me:secret@/db")
      #expect(outcome.code == 2)
      let problem = StoreProblem.noLibrary("libpq.so.5", package: "libpq5", elsewhere: "libpq")
      #expect(outcome.said(.storeFailed("postgresql://me@/db", problem)))
      #expect(!outcome.errors.contains("secret"))
    }

    @Test("a SQLite store names the package that it needs, and leaves no file")
    func sqlite() throws {
      try directory.write([0], to: "libsqlite3.so.0")
      let outcome = try run("replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--create")
      #expect(outcome.code == 2)
      let problem = StoreProblem.noLibrary("libsqlite3.so.0", package: "libsqlite3-0", elsewhere: "sqlite")
      #expect(outcome.said(.storeFailed("sqlite:tokens.sqlite", problem)))
      #expect(!directory.exists("tokens.sqlite"))
    }

    @Test("a filter names the package that it needs")
    func libpcap() throws {
      let outcome = try run("inspect", "--filter", "tcp", "dump.bin")
      #expect(outcome.code == 64)
      #expect(
        outcome.errors.contains("--filter")
          && outcome.said(
            "libpcap, which compiles filters, cannot be loaded; install libpcap0.8 (elsewhere: libpcap)")
      )
    }

    @Test("a mapping file names the package that it needs")
    func libyaml() throws {
      try directory.write(Array("table: devices\n".utf8), to: "devices.yml")
      let outcome = try run("store", "list", "--store", "sqlite:devices.sqlite", "--mapping", "devices.yml")
      #expect(outcome.code == 64)
      #expect(
        outcome.said(
          .about(
            "devices.yml",
            "cannot be read as YAML: libyaml cannot be loaded; install libyaml-0-2 (elsewhere: libyaml)")))
    }

    @Test("what needs none of them does its work")
    func none() throws {
      #expect(try run("inspect", "dump.bin").code == 0)
      let replayed = try run("replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--create")
      #expect(replayed.code == 0)
    }
  }
#endif
