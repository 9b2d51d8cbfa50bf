import CLibmariadb
import Platform
import TokenStores

/// libmariadb is loaded when a store of MariaDB or MySQL is used, as libpq is for PostgreSQL.
enum LibmariadbLibrary {
  #if os(macOS)
    private static let paths =
      [
        "", "/opt/homebrew/opt/mariadb-connector-c/lib/mariadb/",
        "/usr/local/opt/mariadb-connector-c/lib/mariadb/",
      ].map { $0 + "libmariadb.3.dylib" }
  #else
    private static let paths = ["libmariadb.so.3"]
  #endif

  /// Nil where it is missing.
  static let functions: Libmariadb? = {
    var functions = Libmariadb()
    guard libmariadb_find(&functions, SharedLibrary.open(paths)) else { return nil }
    // The first connection would do it, and two at once without a lock.
    return functions.mysql_server_init(0, nil, nil) == 0 ? functions : nil
  }()

  static var missing: StoreFault {
    .server(.noLibrary(file: paths[0], package: "libmariadb3 (elsewhere: mariadb-connector-c)"))
  }
}

/// What calls of libmariadb go through. Where it is missing there is no connection, so that none is made.
let libmariadb = LibmariadbLibrary.functions ?? Libmariadb()
