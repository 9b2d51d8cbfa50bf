import Basics

/// A line of an NSS key log (draft-ietf-tls-keylogfile), and the older forms that Wireshark reads.
enum KeyLogLine {
  private static let labels: [(name: StaticString, label: SecretStore.Label)] = [
    ("CLIENT_RANDOM", .master), ("PMS_CLIENT_RANDOM", .premaster),
    ("CLIENT_EARLY_TRAFFIC_SECRET", .clientEarly),
    ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", .clientHandshake),
    ("SERVER_HANDSHAKE_TRAFFIC_SECRET", .serverHandshake),
    ("CLIENT_TRAFFIC_SECRET_0", .clientApplication), ("SERVER_TRAFFIC_SECRET_0", .serverApplication),
  ]
  private static let ignored: [StaticString] = [
    "EARLY_EXPORTER_SECRET", "EARLY_EXPORTER_MASTER_SECRET", "EXPORTER_SECRET", "ECH_SECRET", "ECH_CONFIG",
    "CLIENT_TRAFFIC_SECRET_", "SERVER_TRAFFIC_SECRET_",
  ]

  static func read(_ text: ArraySlice<UInt8>, at origin: SecretOrigin, to store: inout SecretStore)
    -> KeyLineResult
  {
    let words = text.split(separator: UInt8(ascii: " "), maxSplits: 4)
    guard let name = words.first else { return .other }
    if let (_, label) = labels.first(where: { equal(name, $0.name) }) {
      guard words.count == 3, let client = hex(words[1]).flatMap({ HelloRandom($0) }),
        let secret = hex(words[2]), isPlausible(secret, label)
      else { return .malformed }
      store.add(label, of: client, secret, at: origin)
      return .added
    }
    if equal(name, "RSA"), words.count >= 3 { return readRSA(words, at: origin, to: &store) }
    if ignored.contains(where: { prefix in prefix.withUTF8Buffer { name.starts(with: $0) } }) {
      return .ignored
    }
    return .other
  }

  /// `RSA <8 bytes of the encrypted premaster> <premaster>`, or `RSA Session-ID:<id> Master-Key:<master>`.
  private static func readRSA(
    _ words: [ArraySlice<UInt8>], at origin: SecretOrigin, to store: inout SecretStore
  ) -> KeyLineResult {
    guard words.count == 3 else { return .malformed }
    if words[1].starts(with: "Session-ID:".utf8) {
      guard words[2].starts(with: "Master-Key:".utf8), let id = hex(words[1].dropFirst(11)), id.count <= 32,
        let master = hex(words[2].dropFirst(11)), master.count == 48
      else { return .malformed }
      store.add(master: master, session: id, at: origin)
      return .added
    }
    guard let encrypted = hex(words[1]), encrypted.count == 8, let premaster = hex(words[2]),
      premaster.count == 48
    else { return .malformed }
    store.add(premaster: premaster, encrypted: encrypted, at: origin)
    return .added
  }

  private static func isPlausible(_ secret: [UInt8], _ label: SecretStore.Label) -> Bool {
    switch label {
    case .master: secret.count == 48
    case .premaster: (1...255).contains(secret.count)
    case .clientEarly, .clientHandshake, .serverHandshake, .clientApplication, .serverApplication:
      secret.count == 32 || secret.count == 48
    }
  }

  private static func equal(_ word: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { word.elementsEqual($0) }
  }

  /// Nil unless all of it is an even number of hex digits.
  static func hex(_ digits: ArraySlice<UInt8>) -> [UInt8]? { digits.withUnsafeBytes(Hex.bytes) }
}
