import Basics
import CLibmariadb

/// Loads libmariadb when a MariaDB or MySQL store is used, as libpq for PostgreSQL.
enum LibmariadbLibrary {
  private static let library = SharedLibrary(
    Libmariadb(), libmariadb_find, linux: ["libmariadb.so.3"],
    macOS: ["libmariadb.3.dylib", "opt/mariadb-connector-c/lib/mariadb/libmariadb.3.dylib"])

  /// Nil if it is missing.
  static let functions: Libmariadb? = {
    // Otherwise the first connection does it, without a lock against a second one.
    library.functions?.mysql_server_init(0, nil, nil) == 0 ? library.functions : nil
  }()

  static var missing: StoreFault {
    .noLibrary(library.file, package: "libmariadb3", elsewhere: "mariadb-connector-c")
  }
}

/// The functions of libmariadb. If it is missing, no connection is opened, and none is called.
let libmariadb = LibmariadbLibrary.functions ?? Libmariadb()
