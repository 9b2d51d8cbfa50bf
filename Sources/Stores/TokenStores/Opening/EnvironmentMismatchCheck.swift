import Analysis
import Basics
import Reports

/// Detects a replay that is probably meant for another app, environment or store.
///
/// A list of sandbox tokens changes nothing among the tokens of production, or inserts useless rows, without any error.
/// So some tokens of the input are looked up before the replay. It only warns: the replay continues.
struct EnvironmentMismatchCheck {
  /// The most tokens to look up.
  static let sampleLength = 200
  /// A store with no more live tokens than this may lack the tokens of an input.
  static let fewestLive = 1000
  /// With fewer tokens than this, unknown ones are no reason for a warning.
  static let fewestUnknown = 10

  let store: TokenStore
  let owner: AppEnvironment
  let owners: [AppEnvironment]

  func warning(_ table: TokenTable) throws -> Message? {
    do {
      let tokens = try Self.sample(of: table)
      if try store.hasMost(of: tokens, for: owner) { return nil }
      let rows = try store.rows(of: tokens, in: .any)
      return try elsewhere(tokens, rows) ?? noneOfOwner() ?? unknown(tokens, rows)
    } catch let error as NamedStoreError {
      // Unreadable rows have no owner, such as those with an environment that the mapping does not name.
      guard case .unreadableRows = error.reason else { throw error }
      return noneOfOwner()
        ?? "warning: tokens of the input are in rows that cannot be read: \(error.reason.message)"
    }
  }

  /// Tokens that the store has, but for other owners.
  private func elsewhere(_ tokens: [[UInt8]], _ rows: [TokenRow]) -> Message? {
    let own = Set(rows.lazy.filter { $0.owner == owner }.map(\.token))
    var others: [AppEnvironment: Int] = [:]
    var strays: Set<[UInt8]> = []
    for row in rows where !own.contains(row.token) {
      others[row.owner, default: 0] += 1
      strays.insert(row.token)
    }
    // The app's name decides between equal counts.
    let other = others.max { ($0.value, $1.key.text) < ($1.value, $0.key.text) }?.key
    guard strays.count > tokens.count / 2, let other else { return nil }
    return "warning: \(Self.share(strays.count, tokens)) are in \(store.name) as tokens of "
      + "\(other.text)\(others.count > 1 ? " and others" : ""), and not of \(owner.text): are --app and "
      + "--environment meant?"
  }

  /// A store with tokens of other apps and environments only is probably the wrong one.
  private func noneOfOwner() -> Message? {
    guard !owners.isEmpty, !owners.contains(owner) else { return nil }
    let known = owners.prefix(5).map(\.text).joined(separator: "; ") + (owners.count > 5 ? "; …" : "")
    return
      "warning: \(store.name) has no tokens of \(owner.text), only of \(known): are --app and --environment "
      + "meant?"
  }

  /// A feedback service reports tokens that were sent to: a store of the live tokens has most of them. A store that is
  /// filled by replays only has no live tokens, and new ones are normal.
  private func unknown(_ tokens: [[UInt8]], _ rows: [TokenRow]) throws -> Message? {
    guard tokens.count >= Self.fewestUnknown else { return nil }
    let count = tokens.count - Set(rows.map(\.token)).count
    guard count > tokens.count / 2, try store.hasLive(over: Self.fewestLive, for: owner) else { return nil }
    return "warning: \(Self.share(count, tokens)) are not in \(store.name), which has more than "
      + "\(Self.fewestLive) live tokens of \(owner.text): another app, environment, or store?"
  }

  private static func share(_ count: Int, _ looked: [[UInt8]]) -> String {
    "\(count) of \(Count.of(looked.count, "token")) of the input that were looked up"
  }

  /// Up to `sampleLength` accepted tokens, spread evenly over the table, in one pass that keeps at most twice that
  /// number: beyond it, every second one is dropped, and the stride is doubled.
  static func sample(of table: TokenTable) throws -> [[UInt8]] {
    var sample: [[UInt8]] = []
    var stride = 1
    var index = 0
    try table.visit(inAnyOrder: true) { token, verdict in
      guard verdict.time != nil else { return }
      defer { index += 1 }
      guard index % stride == 0 else { return }
      sample.append(token.withUnsafeBytes { Array($0) })
      guard sample.count > 2 * sampleLength else { return }
      sample = sample.indices.filter { $0 % 2 == 0 }.map { sample[$0] }
      stride *= 2
    }
    guard sample.count > sampleLength else { return sample }
    return (0..<sampleLength).map { sample[$0 * sample.count / sampleLength] }
  }
}
