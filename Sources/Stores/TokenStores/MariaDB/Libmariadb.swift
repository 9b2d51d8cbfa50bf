import Basics
import CLibmariadb

/// Loaded when a MariaDB or MySQL store is used, as libpq for PostgreSQL.
let libmariadbLibrary = SharedLibrary(
  Libmariadb(), libmariadb_find, linux: ["libmariadb.so.3"],
  macOS: ["libmariadb.3.dylib", "opt/mariadb-connector-c/lib/mariadb/libmariadb.3.dylib"])

/// The functions of libmariadb. If it is missing, no connection is opened, and none is called.
let libmariadb: Libmariadb = {
  guard let functions = libmariadbLibrary.functions else { return Libmariadb() }
  // Otherwise the first connection does it, without a lock against a second one. It has no reason to fail.
  _ = functions.mysql_server_init(0, nil, nil)
  return functions
}()
