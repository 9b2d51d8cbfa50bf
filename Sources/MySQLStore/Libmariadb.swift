import CLibmariadb
import Platform
import TokenStores

/// Loads libmariadb when a MariaDB or MySQL store is used, as libpq for PostgreSQL.
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

  /// Nil if it is missing.
  static let functions: Libmariadb? = {
    var functions = Libmariadb()
    guard libmariadb_find(&functions, SharedLibrary.open(paths)) else { return nil }
    // Otherwise the first connection does it, without a lock against a second one.
    return functions.mysql_server_init(0, nil, nil) == 0 ? functions : nil
  }()

  static var missing: StoreFault {
    .server(
      .noLibrary(file: paths[0], package: "libmariadb3", elsewhere: "mariadb-connector-c"))
  }
}

/// The functions of libmariadb. If it is missing, no connection is opened, and none is called.
let libmariadb = LibmariadbLibrary.functions ?? Libmariadb()
