/// The keys of one direction, up to TLS 1.2 and from TLS 1.3 on.
package struct DirectionKeys {
  package var mac: [UInt8] = []
  package var key: [UInt8]
  package var iv: [UInt8]
}

package enum KeyDerivation {
  /// The master secret of a premaster secret.
  static func master(
    premaster: [UInt8], client: HelloRandom, server: ServerHello, sessionHash: [UInt8]?
  ) -> [UInt8]? {
    if server.hasExtendedMasterSecret {
      return sessionHash.flatMap { derive(server, premaster, "extended master secret", $0, 48) }
    }
    return derive(server, premaster, "master secret", client.bytes + server.random.bytes, 48)
  }

  /// The keys of both directions: the MAC keys, the cipher's keys and the IVs, the client's first in each pair.
  static func keys(
    master: [UInt8], client: HelloRandom, server: ServerHello
  ) -> (client: DirectionKeys, server: DirectionKeys)? {
    let macLength = server.suite.macLength
    let (keyLength, ivLength) = server.suite.keyLengths(server.version)
    guard
      let block = derive(
        server, master, "key expansion", server.random.bytes + client.bytes,
        2 * (macLength + keyLength + ivLength))
    else { return nil }
    var rest = block[...]
    func pair(_ length: Int) -> ([UInt8], [UInt8]) {
      defer { rest = rest.dropFirst(2 * length) }
      return (Array(rest.prefix(length)), Array(rest.dropFirst(length).prefix(length)))
    }
    let (macs, keys, ivs) = (pair(macLength), pair(keyLength), pair(ivLength))
    return (
      DirectionKeys(mac: macs.0, key: keys.0, iv: ivs.0), DirectionKeys(mac: macs.1, key: keys.1, iv: ivs.1)
    )
  }

  private static func derive(
    _ server: ServerHello, _ secret: [UInt8], _ label: String, _ seed: [UInt8], _ length: Int
  ) -> [UInt8]? {
    switch server.version {
    case .ssl3: PseudoRandom.ssl3(secret: secret, seed: seed, length: length)
    case .tls10, .tls11: PseudoRandom.tls10(secret: secret, label: label, seed: seed, length: length)
    default:
      PseudoRandom.tls12(server.suite.prf, secret: secret, label: label, seed: seed, length: length)
    }
  }

  /// The keys of a traffic secret of TLS 1.3.
  package static func keys(traffic secret: [UInt8], _ suite: CipherSuite) -> DirectionKeys? {
    let (keyLength, ivLength) = suite.keyLengths(.tls13)
    guard let key = PseudoRandom.expandLabel(suite.prf, secret: secret, label: "key", length: keyLength),
      let iv = PseudoRandom.expandLabel(suite.prf, secret: secret, label: "iv", length: ivLength)
    else { return nil }
    return DirectionKeys(key: key, iv: iv)
  }

  /// The premaster secret of a shared key (RFC 4279); `other` is what another exchange gave, else zeros.
  static func premaster(sharedKey key: [UInt8], other: [UInt8]?) -> [UInt8] {
    let other = other ?? [UInt8](repeating: 0, count: key.count)
    func length(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)]
    }
    return length(other) + other + length(key) + key
  }
}
