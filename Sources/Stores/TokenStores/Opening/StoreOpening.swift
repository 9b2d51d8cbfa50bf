extension StoreURL {
  /// The named database; nothing is opened yet.
  package func database(lockTimeout: Duration) throws(StoreURLError) -> any StoreDatabase {
    switch self {
    case .sqlite(let path): SQLiteDatabase(path: path, lockTimeout: lockTimeout)
    case .postgreSQL(let uri): try PostgreSQLDatabase(uri: uri, lockTimeout: lockTimeout)
    case .mySQL(let uri): MySQLDatabase(uri: uri, lockTimeout: lockTimeout)
    }
  }
}
