import Foundation
import GRDB
import SQLiteStore
import TokenStores

/// A directory that is removed with the value.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "tokens.sqlite") -> String { "\(path)/\(name)" }

  /// The names of the files in it, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

func bytes(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

/// Runs statements as another program would.
func sqlite(_ path: String, _ sql: String) throws {
  try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
}

func integer(_ path: String, _ sql: String) throws -> Int? {
  try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: sql) }
}

/// Runs `body` while another program holds the write lock.
func withWriteLock<Result>(on path: String, _ body: () throws -> Result) throws -> Result {
  let other = try DatabaseQueue(path: path)
  return try other.writeWithoutTransaction { database in
    try database.beginTransaction(.immediate)
    defer { try? database.rollback() }
    return try body()
  }
}

/// A dated token of a test.
struct Dated: Hashable, Sendable {
  var token: [UInt8]
  var time: UInt32
}

/// An error of a source, and none of a store.
struct SourceFailure: Error, Equatable {}

extension TokenStore {
  @discardableResult
  func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), knownOnly: Bool = false,
    dryRun: Bool = false
  ) throws -> ReplayCounts {
    try replay(
      { visit in for death in deaths { try visit(death.token.span.bytes, death.time) } }, for: owner,
      options: ReplayOptions(knownOnly: knownOnly, dryRun: dryRun), entry: nil
    ).counts
  }

  @discardableResult
  func register(_ registrations: [Dated], for owner: AppEnvironment = AppEnvironment()) throws
    -> RegistrationCounts
  {
    try register(
      { visit in for one in registrations { try visit(one.token.span.bytes, one.time) } }, for: owner)
  }

  func rows(_ selection: TokenSelection = .all, in filter: AppEnvironmentFilter = .any) throws -> [TokenRow] {
    var rows: [TokenRow] = []
    try list(selection, in: filter) { owner, token, state in
      rows.append(TokenRow(owner: owner, token: token.withUnsafeBytes(Array.init), state: state))
    }
    return rows
  }
}
