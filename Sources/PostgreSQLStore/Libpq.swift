import CLibpq
import Platform
import TokenStores

/// Loads libpq when a PostgreSQL store is used: with the twenty libraries that it needs, it would double the start-up
/// time of other commands.
enum LibpqLibrary {
  #if os(macOS)
    private static let paths = ["", "/opt/homebrew/opt/libpq/lib/", "/usr/local/opt/libpq/lib/"].map {
      $0 + "libpq.5.dylib"
    }
  #else
    private static let paths = ["libpq.so.5"]
  #endif

  /// Nil if it is missing.
  static let functions: Libpq? = {
    var functions = Libpq()
    return libpq_find(&functions, SharedLibrary.open(paths)) ? functions : nil
  }()

  static var missing: StoreFault {
    .server(.noLibrary(file: paths[0], package: "libpq5", elsewhere: "libpq"))
  }
}

/// The functions of libpq. If it is missing, no connection is opened, and none is called.
let libpq = LibpqLibrary.functions ?? Libpq()
