package struct DecryptionOptions: Sendable {
  /// Ciphertext of a direction that waits for the other one, in bytes.
  var waitLimit = 64 << 10
  /// The longest handshake message, in bytes.
  var messageLimit = 1 << 17
  /// Sequence numbers that are tried for a direction of TLS 1.3 whose beginning was not captured.
  package var sequenceLimit = 4096
  /// Bytes of ciphertext that a direction may decrypt in vain to find secrets and sequence numbers, and that all of them
  /// may to find secrets. A try counts as 1 KiB more, a try of a secret as 4 KiB.
  package var trialLimit = 1 << 28
  package var totalTrialLimit = 1 << 35
  /// Trials of secrets that name no connection, in all: about a second.
  package var namelessTrialLimit = 300_000

  package init() {}
}

/// What the connections of a run share: the secrets, and the sessions that they may resume.
package final class DecryptionContext {
  /// Those that are added are for connections that have not looked for theirs yet.
  var store: SecretStore
  let options: DecryptionOptions
  /// What all connections of a batch bring.
  package let output = DecryptedEvents()
  private var used: Set<SecretOrigin> = []
  private var sessions: [[UInt8]: MasterSecret] = [:]
  private var order: [[UInt8]] = []
  private static let maxSessions = 16_384
  private var trialBudget: Int
  var namelessTrials = 0

  package init(_ store: SecretStore, options: DecryptionOptions = DecryptionOptions()) {
    self.store = store
    self.options = options
    trialBudget = options.totalTrialLimit
  }

  /// The number of secrets of the file that neither served nor name a connection that one of the others served.
  func unusedCount(file: Int) -> Int { store.unusedCount(used, file: file) }

  /// Whether one more secret may be tried.
  func charge(_ budget: inout Int, _ count: Int) -> Bool {
    budget -= count + 4096
    trialBudget -= count + 4096
    return budget > 0 && trialBudget > 0
  }

  /// Whether secrets that name no connection are not tried any more.
  var hasEndedTrials: Bool { namelessTrials > options.namelessTrialLimit }

  func use(_ origin: SecretOrigin) { used.insert(origin) }

  /// A later connection may resume the session by its id or ticket.
  func learn(_ master: MasterSecret, session: [UInt8]) {
    guard !session.isEmpty, sessions.updateValue(master, forKey: session) == nil else { return }
    order.append(session)
    if order.count > Self.maxSessions { sessions.removeValue(forKey: order.removeFirst()) }
  }

  func session(_ name: [UInt8]) -> MasterSecret? { sessions[name] }
}
