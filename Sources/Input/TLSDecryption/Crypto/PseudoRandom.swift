/// The functions that make keys of secrets.
package enum PseudoRandom {
  /// TLS 1.2 (RFC 5246, section 5), with the suite's hash.
  package static func tls12(
    _ algorithm: DigestAlgorithm, secret: [UInt8], label: String, seed: [UInt8], length: Int
  ) -> [UInt8]? { expand(algorithm, secret: secret, seed: Array(label.utf8) + seed, length: length) }

  /// TLS 1.0 and 1.1 (RFC 2246, section 5): the halves of the secret share the middle byte of an odd number.
  package static func tls10(secret: [UInt8], label: String, seed: [UInt8], length: Int) -> [UInt8]? {
    let half = (secret.count + 1) / 2
    let labelled = Array(label.utf8) + seed
    guard
      let left = expand(.md5, secret: Array(secret.prefix(half)), seed: labelled, length: length),
      let right = expand(.sha1, secret: Array(secret.suffix(half)), seed: labelled, length: length)
    else { return nil }
    return zip(left, right).map { $0 ^ $1 }
  }

  /// SSL 3.0 (RFC 6101, sections 6.1 and 6.2.2): MD5 of SHA-1 of `A`, `BB`, `CCC` and so on.
  static func ssl3(secret: [UInt8], seed: [UInt8], length: Int) -> [UInt8]? {
    var output: [UInt8] = []
    for round in 1...26 {
      if output.count >= length { break }
      let salt = [UInt8](repeating: UInt8(truncatingIfNeeded: 0x40 + round), count: round)
      guard let inner = DigestAlgorithm.sha1.digest([salt, secret, seed]),
        let block = DigestAlgorithm.md5.digest([secret, inner])
      else { return nil }
      output += block
    }
    return output.count >= length ? Array(output.prefix(length)) : nil
  }

  /// P_hash.
  private static func expand(
    _ algorithm: DigestAlgorithm, secret: [UInt8], seed: [UInt8], length: Int
  ) -> [UInt8]? {
    guard let keyed = KeyedDigest(hmac: algorithm, key: secret) else { return nil }
    var output: [UInt8] = []
    var link = seed
    while output.count < length {
      guard let next = keyed.digest([link]), let block = keyed.digest([next, seed]) else { return nil }
      link = next
      output += block
    }
    return Array(output.prefix(length))
  }

  /// HKDF-Expand-Label of TLS 1.3 (RFC 8446, section 7.1).
  static func expandLabel(
    _ algorithm: DigestAlgorithm, secret: [UInt8], label: String, context: [UInt8] = [], length: Int
  ) -> [UInt8]? {
    let name = Array("tls13 \(label)".utf8)
    let info =
      [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
      + [UInt8(truncatingIfNeeded: name.count)] + name + [UInt8(truncatingIfNeeded: context.count)] + context
    var output: [UInt8] = []
    var block: [UInt8] = []
    var counter: UInt8 = 1
    while output.count < length {
      guard let next = algorithm.hmac(key: secret, [block, info, [counter]]) else { return nil }
      block = next
      output += block
      counter &+= 1
    }
    return Array(output.prefix(length))
  }
}
