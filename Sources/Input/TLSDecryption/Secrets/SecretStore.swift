/// The secrets that the user has, by what they name.
package struct SecretStore: Sendable {
  package enum Label: UInt8, Sendable {
    /// The master secret, up to TLS 1.2.
    case master
    /// The premaster secret, up to TLS 1.2.
    case premaster
    case clientEarly, clientHandshake, serverHandshake, clientApplication, serverApplication
  }

  /// A secret with its origin. `client` is the client random that it names.
  package struct StoredSecret: Sendable {
    var label: Label
    var secret: SecretBytes
    package var origin: SecretOrigin
    var client: HelloRandom?
  }

  struct SharedKey: Sendable {
    /// Nil: for any identity.
    var identity: [UInt8]?
    var key: SecretBytes
    var origin: SecretOrigin
  }

  /// More secrets than this are counted and ignored.
  package var limit = 1_000_000
  package private(set) var ignoredCount = 0

  // A secret is a row of these; its bytes are at `start` in `bytes`.
  private struct Row: Sendable {
    var start: Int
    var line: UInt32
    var file: UInt16
    var length: UInt8
    var label: Label
    /// The row before it that names the same random, else -1.
    var previous: Int32
    /// The row names the random at `client` in `randoms`; -1 where it names none.
    var client: Int32
  }
  private var rows: [Row] = []
  private var bytes: [UInt8] = []
  private var randoms: [HelloRandom] = []
  /// The last row of each random.
  private var lastRows: [Int32] = []
  /// A hash table of indices in `randoms`, -1 if free, with linear probing and at least half free slots. A
  /// dictionary takes ten times the memory, and a key log of 1 GB has five million randoms.
  private var slots: [Int32] = []
  private var bySession: [[UInt8]: Int32] = [:]
  /// By the first 8 bytes of the encrypted premaster secret.
  private var byPremaster: [[UInt8]: Int32] = [:]
  /// Masters of sessions, which name no client random: those that name a session, and those that name nothing.
  private var sessionRows: [Int32] = []
  private var namelessRows: [Int32] = []

  private(set) var privateKeys: [PrivateKey] = []
  private(set) var sharedKeys: [SharedKey] = []

  package init() {}

  var isEmpty: Bool { rows.isEmpty && privateKeys.isEmpty && sharedKeys.isEmpty }
  /// Rows that secrets of files have; `SecretUse` counts those that served.
  package var rowCount: Int { rows.count }

  // MARK: - Adding

  mutating func add(_ label: Label, of client: HelloRandom, _ secret: [UInt8], at origin: SecretOrigin) {
    growSlots()
    let slot = slot(of: client)
    let known = slots[slot]
    guard let row = append(label, secret, origin, previous: known < 0 ? -1 : lastRows[Int(known)]) else {
      return
    }
    if known >= 0 {
      lastRows[Int(known)] = row
    } else {
      slots[slot] = Int32(truncatingIfNeeded: randoms.count)
      randoms.append(client)
      lastRows.append(row)
    }
    rows[Int(row)].client = slots[slot]
  }

  /// `slots` must not be empty.
  private func slot(of client: HelloRandom) -> Int {
    let mask = slots.count - 1
    var slot = client.hashValue & mask
    while slots[slot] >= 0, randoms[Int(slots[slot])] != client { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func growSlots() {
    guard slots.count < 2 * (randoms.count + 1) else { return }
    slots = [Int32](repeating: -1, count: max(64, 2 * slots.count))
    for index in randoms.indices { slots[slot(of: randoms[index])] = Int32(truncatingIfNeeded: index) }
  }

  /// A master secret of a session; `session` may be empty, and with a ticket it is the client's invention.
  mutating func add(master: [UInt8], session: [UInt8], at origin: SecretOrigin) {
    guard let row = append(.master, master, origin, previous: -1) else { return }
    if session.isEmpty { return namelessRows.append(row) }
    sessionRows.append(row)
    bySession[session] = row
  }

  /// A premaster secret, named by the first 8 bytes of its encrypted form.
  mutating func add(premaster: [UInt8], encrypted: [UInt8], at origin: SecretOrigin) {
    guard let row = append(.premaster, premaster, origin, previous: -1) else { return }
    byPremaster[encrypted] = row
  }

  package mutating func add(_ key: PrivateKey) { privateKeys.append(key) }

  /// - Parameter identity: nil: any.
  package mutating func add(sharedKey key: [UInt8], identity: [UInt8]?, at origin: SecretOrigin) {
    sharedKeys.append(SharedKey(identity: identity, key: SecretBytes(key), origin: origin))
  }

  private mutating func append(
    _ label: Label, _ secret: [UInt8], _ origin: SecretOrigin, previous: Int32
  ) -> Int32? {
    guard rows.count < limit else {
      ignoredCount += 1
      return nil
    }
    rows.append(
      Row(
        start: bytes.count, line: UInt32(clamping: origin.line), file: UInt16(clamping: origin.file),
        length: UInt8(clamping: secret.count), label: label, previous: previous, client: -1))
    bytes += secret.prefix(255)
    return Int32(truncatingIfNeeded: rows.count - 1)
  }

  func unusedCount(_ used: Set<SecretOrigin>, file: Int) -> Int {
    func origin(_ row: Row) -> SecretOrigin { SecretOrigin(file: Int(row.file), line: Int(row.line)) }
    let served = Set(rows.lazy.filter { $0.client >= 0 && used.contains(origin($0)) }.map(\.client))
    // OpenSSL writes the premaster secret in a line of its own, which names no connection.
    return rows.count {
      Int($0.file) == file && ($0.label != .premaster || $0.client >= 0) && !used.contains(origin($0))
        && !($0.client >= 0 && served.contains($0.client))
    } + privateKeys.count { $0.file == file && !used.contains(SecretOrigin(file: file, line: 0)) }
  }

  // MARK: - Finding

  /// The client random that names the connection of a secret. Taken from an `Entry` whose secret nothing uses, Swift 6.3
  /// would write the secret to memory that it has freed.
  func client(of row: Int) -> HelloRandom? {
    rows.indices.contains(row) && rows[row].client >= 0 ? randoms[Int(rows[row].client)] : nil
  }

  package func entry(_ index: Int) -> StoredSecret? {
    guard rows.indices.contains(index) else { return nil }
    let row = rows[index]
    return StoredSecret(
      label: row.label, secret: SecretBytes(Array(bytes[row.start..<(row.start + Int(row.length))])),
      origin: SecretOrigin(file: Int(row.file), line: Int(row.line)), client: client(of: index))
  }

  /// Rows of the secrets that name the client random, the last one first.
  func rows(of client: HelloRandom) -> [Int] {
    var found: [Int] = []
    guard !slots.isEmpty else { return [] }
    let known = slots[slot(of: client)]
    var next = known < 0 ? -1 : lastRows[Int(known)]
    while next >= 0, found.count < 64 {
      found.append(Int(next))
      next = rows[Int(next)].previous
    }
    return found
  }

  /// Whether it has the secrets that decrypt what both sides of a connection send after the handshake. Live writers add those
  /// of TLS 1.3 one after another.
  func hasSecrets(of client: HelloRandom) -> Bool {
    let labels = Set(rows(of: client).map { rows[$0].label })
    return labels.contains(.master) || labels.contains(.premaster)
      || labels.isSuperset(of: [.clientApplication, .serverApplication])
  }

  var hasSessions: Bool { !sessionRows.isEmpty }
  /// Whether some name no client random, and so may be any connection's.
  var hasNameless: Bool {
    hasSessions || !(namelessRows.isEmpty && privateKeys.isEmpty && sharedKeys.isEmpty)
  }

  package func row(_ label: Label, of client: HelloRandom) -> Int? {
    rows(of: client).first { rows[$0].label == label }
  }

  package func row(session: [UInt8]) -> Int? { bySession[session].map(Int.init) }
  package func row(encryptedPremaster: [UInt8]) -> Int? {
    byPremaster[Array(encryptedPremaster.prefix(8))].map(Int.init)
  }

  /// Masters that name no client random: only a MAC shows which connection they are of.
  /// - Parameter sessions: whether it is also unknown which session the connection has.
  func unnamed(sessions: Bool) -> [Int32] { sessions ? namelessRows + sessionRows : namelessRows }

  /// Rows with the label, in the order of the files.
  func rows(_ label: Label?) -> some Sequence<Int> { rows.indices.lazy.filter { rows[$0].label == label } }
}
