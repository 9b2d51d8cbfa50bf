import TokenStores

/// What a command asks of a store in a table of the user's own, besides the mapping.
struct MappedStoreOptions {
  /// Whether tokens that the table does not hold get a row.
  var insertsUnknown = false
  /// Where replays are recorded; nil where they are not.
  var journal: StoreURL?
  /// How long another program's lock is waited for.
  var lockTimeout: Duration
}

/// Stores in tables of the user's own.
enum MappedStores {
  static func open(
    _ url: StoreURL, mapping: TableMapping, options: MappedStoreOptions
  ) throws -> any TokenStore {
    throw UsageError("\(url.text): tables of your own (--mapping) are not there yet")
  }
}
