import Basics
import CLibpq

/// Loads libpq when a PostgreSQL store is used: with the twenty libraries that it needs, it would double the start-up
/// time of other commands.
enum LibpqLibrary {
  private static let library = SharedLibrary(
    Libpq(), libpq_find, linux: ["libpq.so.5"], macOS: ["libpq.5.dylib", "opt/libpq/lib/libpq.5.dylib"])

  /// Nil if it is missing.
  static var functions: Libpq? { library.functions }

  static var missing: StoreFault {
    .noLibrary(library.file, package: "libpq5", elsewhere: "libpq")
  }
}

/// The functions of libpq. If it is missing, no connection is opened, and none is called.
let libpq = LibpqLibrary.functions ?? Libpq()
