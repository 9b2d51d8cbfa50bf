import CLibpq
import Platform
import TokenStores

/// libpq is loaded when a PostgreSQL store is used: with the twenty libraries that it needs, it takes longer than all that a
/// command of another kind does before its work.
enum LibpqLibrary {
  #if os(macOS)
    private static let paths = ["", "/opt/homebrew/opt/libpq/lib/", "/usr/local/opt/libpq/lib/"].map {
      $0 + "libpq.5.dylib"
    }
  #else
    private static let paths = ["libpq.so.5"]
  #endif

  /// Nil where it is missing.
  static let functions: Libpq? = {
    var functions = Libpq()
    return libpq_find(&functions, SharedLibrary.open(paths)) ? functions : nil
  }()

  static var missing: StoreFault { .server(.noLibrary(file: paths[0], package: "libpq5 (elsewhere: libpq)")) }
}

/// What calls of libpq go through. Where it is missing there is no connection, so that none is made.
let libpq = LibpqLibrary.functions ?? Libpq()
