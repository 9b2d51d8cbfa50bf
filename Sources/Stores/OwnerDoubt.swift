import Analysis
import Reports
import TokenStores
import WireBytes

/// Whether a replay is meant for another app, environment or store than the one named.
///
/// A list of the sandbox among the tokens of production changes nothing there, or inserts what nobody needs, and nobody
/// notices. So some tokens of the input are looked up before the replay. It is advice alone: nothing is stopped.
package struct OwnerDoubt {
  /// How many tokens are looked up at most.
  static let sampleLength = 200
  /// With no more live tokens than that, a store may well not know what an input names.
  static let fewestLive = 1000
  /// Fewer tokens than that are too few for a doubt about unknown ones.
  static let fewestUnknown = 10

  private let store: TokenStore
  private let owner: AppEnvironment

  package init(store: TokenStore, owner: AppEnvironment) { (self.store, self.owner) = (store, owner) }

  /// The warning; nil where there is no doubt.
  package func warning(_ table: TokenTable) throws -> String? {
    let owners = try store.owners()
    guard !owners.isEmpty else { return nil }
    do {
      let tokens = try Self.sample(of: table)
      let rows = try store.rows(of: tokens, in: .any)
      return try elsewhere(tokens, rows) ?? noneOfOwner(owners) ?? unknown(tokens, rows)
    } catch let error as StoreError {
      // Rows that cannot be understood may be those of somebody else: a replay that meets them says so.
      guard case .foreignRows = error.fault else { throw error }
      return noneOfOwner(owners)
    }
  }

  // MARK: - Doubts

  /// Tokens that the store knows, but not as the named owner's.
  private func elsewhere(_ tokens: [[UInt8]], _ rows: [TokenRow]) -> String? {
    let own = Set(rows.lazy.filter { $0.owner == owner }.map(\.token))
    var others: [AppEnvironment: Int] = [:]
    var strays: Set<[UInt8]> = []
    for row in rows where !own.contains(row.token) {
      others[row.owner, default: 0] += 1
      strays.insert(row.token)
    }
    guard strays.count > tokens.count / 2, let other = Self.mostFrequent(others) else { return nil }
    return "warning: \(Self.share(strays.count, tokens)) are in \(store.name) as tokens of "
      + "\(other.text)\(others.count > 1 ? " and others" : ""), and not of \(owner.text): are --app and --environment meant?"
  }

  /// A store that holds tokens, but none of this app and environment, is most likely meant otherwise.
  private func noneOfOwner(_ owners: [AppEnvironment]) -> String? {
    guard !owners.contains(owner) else { return nil }
    let known = owners.prefix(5).map(\.text).joined(separator: "; ") + (owners.count > 5 ? "; …" : "")
    return
      "warning: \(store.name) holds no tokens of \(owner.text), only of \(known): are --app and --environment meant?"
  }

  /// A feedback service names tokens that were sent to: where a store knows those that are alive, it knows most of
  /// them. One that is filled by replays alone has no live tokens, and new ones are no wonder there.
  private func unknown(_ tokens: [[UInt8]], _ rows: [TokenRow]) throws -> String? {
    guard tokens.count >= Self.fewestUnknown else { return nil }
    let count = tokens.count - Set(rows.map(\.token)).count
    guard count > tokens.count / 2, try hasManyLive() else { return nil }
    return
      "warning: \(Self.share(count, tokens)) are not in \(store.name), which holds more than \(Self.fewestLive) "
      + "live tokens of \(owner.text): another app, environment, or store?"
  }

  private func hasManyLive() throws -> Bool {
    struct Enough: Error {}
    var count = 0
    do {
      try store.list(.live, in: AppEnvironmentFilter(app: owner.app, environment: owner.environment)) {
        _, _, _ in
        count += 1
        if count > Self.fewestLive { throw Enough() }
      }
    } catch is Enough {
      return true
    }
    return false
  }

  private static func mostFrequent(_ owners: [AppEnvironment: Int]) -> AppEnvironment? {
    // Of equals always the same one.
    owners.max { ($0.value, $1.key.text) < ($1.value, $0.key.text) }?.key
  }

  private static func share(_ count: Int, _ tokens: [[UInt8]]) -> String {
    "\(count) of \(Count.of(tokens.count, "token")) of the input that were looked up"
  }

  // MARK: - Sample

  /// Up to `sampleLength` tokens that count, spread evenly over the table, in one pass that keeps no more than twice as
  /// many: where there are too many, every second one is dropped, and from then on half as many are taken.
  static func sample(of table: TokenTable) throws -> [[UInt8]] {
    var sample: [[UInt8]] = []
    var stride = 1
    var place = 0
    try table.visitInAnyOrder { token, verdict in
      guard verdict.time != nil else { return }
      defer { place += 1 }
      guard place % stride == 0 else { return }
      sample.append(token.withUnsafeBytes { Array($0) })
      guard sample.count > 2 * sampleLength else { return }
      sample = sample.indices.filter { $0 % 2 == 0 }.map { sample[$0] }
      stride *= 2
    }
    guard sample.count > sampleLength else { return sample }
    return (0..<sampleLength).map { sample[$0 * sample.count / sampleLength] }
  }
}
