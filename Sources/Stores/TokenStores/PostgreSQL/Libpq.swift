import Basics
import CLibpq

/// Loaded when a PostgreSQL store is used: with the twenty libraries that it needs, it would double the start-up time of
/// other commands.
let libpqLibrary = SharedLibrary(
  Libpq(), libpq_find, linux: ["libpq.so.5"], macOS: ["libpq.5.dylib", "opt/libpq/lib/libpq.5.dylib"])

/// The functions of libpq. If it is missing, no connection is opened, and none is called.
let libpq = libpqLibrary.functions ?? Libpq()
