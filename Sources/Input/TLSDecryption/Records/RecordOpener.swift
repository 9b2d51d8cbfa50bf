/// Decrypts the records of one direction with one set of keys. It returns nothing that its MAC or tag did not prove.
package final class RecordOpener {
  /// What a record had: its bytes are at the start of the output.
  package struct Opened {
    package var type: UInt8
    package var count: Int
  }

  private enum Method {
    case null(KeyedDigest)
    /// The state after the last proved record, and one to try with.
    case rc4(RC4, RC4, KeyedDigest)
    case cbc(CBCCipher, CBCCipher.Algorithm, KeyedDigest)
    case aead(AEADCipher)
  }

  /// Bytes of an RC4 key stream that a gap may skip, and records that it may have: a quarter of a second, and 40 KiB.
  private static let maxRC4Skip = 1 << 26
  private static let maxRC4Tries = 8192

  let version: TLSVersion
  let suite: CipherSuite
  private let encryptsThenMAC: Bool
  private var method: Method
  /// Of the key block; with CBC up to TLS 1.0 the last block of the record before.
  private var iv: [UInt8]
  private var isIVKnown = true
  /// The number of the record that a chained IV is proved to be of. A MAC of plaintext proves the IV, too; one of ciphertext
  /// does not.
  private var provedIV: UInt64? = 0
  /// The number of a record whose ciphertext is proved, but not its IV.
  private var unreadableSequence: UInt64?
  /// Nonce (12), sequence and header (13), MAC (48).
  private let scratch: UnsafeMutablePointer<UInt8>

  package init?(version: TLSVersion, suite: CipherSuite, encryptThenMAC: Bool, keys: DirectionKeys) {
    func mac() -> KeyedDigest? {
      version == .ssl3
        ? KeyedDigest(ssl3: suite.mac, key: keys.mac) : KeyedDigest(hmac: suite.mac, key: keys.mac)
    }
    switch suite.cipher {
    case nil: return nil
    case .null:
      guard let mac = mac() else { return nil }
      method = .null(mac)
    case .rc4:
      guard let mac = mac() else { return nil }
      method = .rc4(RC4(key: keys.key), RC4(), mac)
    case .cbc(let algorithm):
      guard let cipher = CBCCipher(algorithm, key: keys.key), let mac = mac() else { return nil }
      method = .cbc(cipher, algorithm, mac)
    case .aead(let algorithm):
      guard version >= .tls12, keys.iv.count + (version == .tls13 ? 0 : algorithm.explicitNonceLength) == 12,
        let cipher = AEADCipher(algorithm, key: keys.key)
      else { return nil }
      method = .aead(cipher)
    }
    self.version = version
    self.suite = suite
    encryptsThenMAC = encryptThenMAC
    iv = keys.iv
    scratch = .allocate(capacity: 12 + 13 + 64)
    scratch.initialize(repeating: 0, count: 12 + 13 + 64)
  }

  deinit { scratch.deallocate() }

  // MARK: - Lengths

  /// Whether plaintext is as long as ciphertext, but for a fixed number of bytes a record.
  var isExact: Bool {
    if case .cbc = method { return false }
    return true
  }

  var isRC4: Bool {
    if case .rc4 = method { return true }
    return false
  }

  /// Bytes of a fragment before the first encrypted byte of plaintext.
  var prefixLength: Int {
    switch method {
    case .null, .rc4: 0
    case .cbc(_, let algorithm, _): version >= .tls11 ? algorithm.blockLength : 0
    case .aead(let cipher): version == .tls13 ? 0 : cipher.algorithm.explicitNonceLength
    }
  }

  /// The least number of bytes by which a fragment is longer than its plaintext.
  var overhead: Int {
    switch method {
    case .null(let mac), .rc4(_, _, let mac): mac.length
    case .cbc(_, _, let mac): prefixLength + mac.length + 1
    case .aead(let cipher): prefixLength + cipher.algorithm.tagLength + (version == .tls13 ? 1 : 0)
    }
  }

  /// The length of the shortest fragment.
  var minimumFragment: Int {
    guard case .cbc(_, let algorithm, let mac) = method else { return overhead }
    let block = algorithm.blockLength
    return encryptsThenMAC
      ? prefixLength + block + mac.length : prefixLength + (mac.length + block) / block * block
  }

  /// Whether a fragment may have this length.
  func isPlausible(_ count: Int) -> Bool {
    guard count >= minimumFragment else { return false }
    guard case .cbc(_, let algorithm, let mac) = method else { return true }
    return (count - (encryptsThenMAC ? mac.length : 0)) % algorithm.blockLength == 0
  }

  // MARK: - State between records

  /// A record went by: where the IV is chained, its last block is the next one's.
  /// - Parameter sequence: the record's number; nil if it was not proved.
  func pass(_ fragment: UnsafePointer<UInt8>, count: Int, sequence: UInt64?) {
    guard case .cbc(_, let algorithm, let mac) = method, version <= .tls10 else { return }
    let (block, end) = (algorithm.blockLength, count - (encryptsThenMAC ? mac.length : 0))
    provedIV = (sequence ?? unreadableSequence).map { $0 &+ 1 }
    unreadableSequence = nil
    isIVKnown = end >= block
    guard isIVKnown else { return }
    for index in 0..<block { iv[index] = fragment[end - block + index] }
  }

  /// Bytes were lost before the next record, which `bytes` of the record before it precede.
  func resume(after bytes: UnsafeBufferPointer<UInt8>) {
    guard case .cbc = method, version <= .tls10 else { return }
    unreadableSequence = nil
    provedIV = nil
    isIVKnown = false
    if let start = bytes.baseAddress { pass(start, count: bytes.count, sequence: nil) }
  }

  // MARK: - Opening

  /// Decrypts and proves a fragment; nil if it cannot be proved.
  /// - Parameters:
  ///   - sequence: the record's number since the keys are in use.
  ///   - keystream: bytes of the key stream before the fragment; only of RC4.
  ///   - output: room for `count` bytes.
  package func open(
    _ fragment: UnsafePointer<UInt8>, count: Int, type: UInt8, sequence: UInt64, keystream: Int,
    to output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    guard isPlausible(count) else { return nil }
    switch method {
    case .null(let mac):
      output.update(from: fragment, count: count)
      return proved(output, count - mac.length, type, sequence, mac)
    case .rc4(let state, let trial, let mac):
      guard keystream >= state.position, keystream - state.position <= Self.maxRC4Skip else { return nil }
      trial.copy(from: state)
      trial.skip(keystream - state.position)
      trial.apply(fragment, output, count: count)
      guard let opened = proved(output, count - mac.length, type, sequence, mac) else { return nil }
      method = .rc4(trial, state, mac)
      return opened
    case .cbc(let cipher, let algorithm, let mac):
      let block = algorithm.blockLength
      return encryptsThenMAC
        ? openVerified(fragment, count, type, sequence, cipher, mac, block, output)
        : openCBC(fragment, count, type, sequence, cipher, mac, block, output)
    case .aead(let cipher): return open(fragment, count, type, sequence, cipher, output)
    }
  }

  /// Tries sequence numbers from `sequence` on; with each one, an RC4 key stream begins `step` bytes earlier.
  /// - Returns: which of the tries it was, from 0, and what it gave.
  func search(
    _ fragment: UnsafePointer<UInt8>, count: Int, type: UInt8, sequence: UInt64, keystream: Int, step: Int,
    tries: Int, to output: UnsafeMutablePointer<UInt8>
  ) -> (Int, Opened)? {
    guard isPlausible(count) else { return nil }
    if tries > 1 {
      if case .rc4(let state, let trial, let mac) = method {
        return searchRC4(fragment, count, type, sequence, keystream, step, tries, state, trial, mac, output)
      }
      if case .cbc(let cipher, let algorithm, let mac) = method, !encryptsThenMAC {
        return searchCBC(fragment, count, type, sequence, tries, cipher, algorithm.blockLength, mac, output)
      }
    }
    for index in 0..<max(0, tries) {
      let opened = open(
        fragment, count: count, type: type, sequence: sequence &+ UInt64(index),
        keystream: keystream - index * step, to: output)
      if let opened { return (index, opened) }
    }
    return nil
  }

  /// The plaintext is the same in all tries.
  private func searchCBC(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ tries: Int,
    _ cipher: CBCCipher, _ block: Int, _ mac: KeyedDigest, _ output: UnsafeMutablePointer<UInt8>
  ) -> (Int, Opened)? {
    let length = count - prefixLength
    guard decrypt(fragment, length, cipher, output), let content = unpadded(output, length, block) else {
      return nil
    }
    for index in 0..<tries {
      let opened = proved(output, content - mac.length, type, sequence &+ UInt64(index), mac)
      if let opened { return (index, opened) }
    }
    return nil
  }

  /// The key stream of all tries is made once.
  private func searchRC4(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ keystream: Int,
    _ step: Int, _ tries: Int, _ state: RC4, _ trial: RC4, _ mac: KeyedDigest,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> (Int, Opened)? {
    let tries = min(tries, Self.maxRC4Tries, (keystream - state.position) / step + 1)
    let first = keystream - (tries - 1) * step
    guard tries > 0, first >= state.position, first - state.position <= Self.maxRC4Skip else { return nil }
    trial.copy(from: state)
    trial.skip(first - state.position)
    var stream = [UInt8](repeating: 0, count: keystream - first + count)
    stream.withUnsafeMutableBufferPointer { stream in
      if let start = stream.baseAddress { trial.apply(start, start, count: stream.count) }
    }
    for index in 0..<tries {
      let start = keystream - first - index * step
      for byte in 0..<count { output[byte] = fragment[byte] ^ stream[start + byte] }
      guard let opened = proved(output, count - mac.length, type, sequence &+ UInt64(index), mac) else {
        continue
      }
      trial.copy(from: state)
      trial.skip(keystream - index * step + count - state.position)
      method = .rc4(trial, state, mac)
      return (index, opened)
    }
    return nil
  }

  private func open(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ cipher: AEADCipher,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    let nonce = scratch
    let header = scratch + 12
    let length = count - prefixLength - cipher.algorithm.tagLength
    if version != .tls13, prefixLength > 0 {
      for index in 0..<4 { nonce[index] = iv[index] }
      for index in 0..<8 { nonce[4 + index] = fragment[index] }
    } else {
      for index in 0..<12 { nonce[index] = iv[index] }
      for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(56 - 8 * index)) }
    }
    if version == .tls13 {
      (header[0], header[1], header[2]) = (type, 3, 3)
      (header[3], header[4]) = (UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count))
    } else {
      write(sequence, type, length, to: header)
    }
    guard
      cipher.open(
        fragment + prefixLength, count: length, nonce: nonce, additional: header,
        additionalCount: version == .tls13 ? 5 : 13, to: output)
    else { return nil }
    guard version == .tls13 else { return Opened(type: type, count: length) }
    // The content's type follows the content, and zeros may follow the type.
    var end = length
    while end > 0, output[end - 1] == 0 { end -= 1 }
    return end > 0 ? Opened(type: output[end - 1], count: end - 1) : Opened(type: 0, count: 0)
  }

  /// The MAC is under the encryption (RFC 5246, section 6.2.3.2).
  private func openCBC(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ cipher: CBCCipher,
    _ mac: KeyedDigest, _ block: Int, _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    let length = count - prefixLength
    guard decrypt(fragment, length, cipher, output), let content = unpadded(output, length, block),
      content >= mac.length
    else { return nil }
    return proved(output, content - mac.length, type, sequence, mac)
  }

  /// The MAC is of the ciphertext (RFC 7366).
  private func openVerified(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ cipher: CBCCipher,
    _ mac: KeyedDigest, _ block: Int, _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    let encrypted = count - mac.length
    guard proved(fragment, encrypted, type, sequence, mac) != nil else { return nil }
    if prefixLength == 0, provedIV != sequence {
      unreadableSequence = sequence
      return nil
    }
    guard decrypt(fragment, encrypted - prefixLength, cipher, output),
      let content = unpadded(output, encrypted - prefixLength, block)
    else { return nil }
    return Opened(type: type, count: content)
  }

  private func decrypt(
    _ fragment: UnsafePointer<UInt8>, _ length: Int, _ cipher: CBCCipher,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    if prefixLength > 0 {
      return cipher.decrypt(fragment + prefixLength, count: length, iv: fragment, to: output)
    }
    guard isIVKnown else { return false }
    return iv.withUnsafeBufferPointer { iv in
      guard let iv = iv.baseAddress else { return false }
      return cipher.decrypt(fragment, count: length, iv: iv, to: output)
    }
  }

  /// The length without the padding; nil if that is wrong. In SSL 3.0 its bytes have any value.
  private func unpadded(_ output: UnsafeMutablePointer<UInt8>, _ length: Int, _ block: Int) -> Int? {
    guard length > 0 else { return nil }
    let padding = Int(output[length - 1])
    guard padding < length, version != .ssl3 || padding < block else { return nil }
    if version != .ssl3 {
      for index in (length - 1 - padding)..<length where output[index] != UInt8(padding) { return nil }
    }
    return length - 1 - padding
  }

  /// Compares the MAC of `count` bytes with the one that follows them.
  private func proved(
    _ content: UnsafePointer<UInt8>, _ count: Int, _ type: UInt8, _ sequence: UInt64, _ mac: KeyedDigest
  ) -> Opened? {
    guard count >= 0 else { return nil }
    let header = scratch + 12
    let digest = scratch + 25
    write(sequence, type, count, to: header)
    mac.begin()
    if version == .ssl3 {
      // No version.
      mac.update(header, 9)
      mac.update(header + 11, 2)
    } else {
      mac.update(header, 13)
    }
    mac.update(content, count)
    guard mac.finish(digest) else { return nil }
    for index in 0..<mac.length where digest[index] != content[count + index] { return nil }
    return Opened(type: type, count: count)
  }

  private func write(_ sequence: UInt64, _ type: UInt8, _ count: Int, to header: UnsafeMutablePointer<UInt8>)
  {
    for index in 0..<8 { header[index] = UInt8(truncatingIfNeeded: sequence >> UInt64(56 - 8 * index)) }
    header[8] = type
    header[9] = UInt8(truncatingIfNeeded: version.rawValue >> 8)
    header[10] = UInt8(truncatingIfNeeded: version.rawValue)
    header[11] = UInt8(truncatingIfNeeded: count >> 8)
    header[12] = UInt8(truncatingIfNeeded: count)
  }
}
