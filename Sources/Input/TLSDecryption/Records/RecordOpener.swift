/// Decrypts the records of one direction with one set of keys. It returns nothing that its MAC or tag did not prove.
package final class RecordOpener {
  /// What a record had: its bytes are at the start of the output.
  package struct Opened {
    var type: UInt8
    package var count: Int
  }

  private enum Method {
    case null(KeyedDigest)
    /// The state after the last proved record, and one to try with.
    case rc4(RC4, RC4, KeyedDigest)
    case cbc(CBCCipher, KeyedDigest)
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
      method = .cbc(cipher, mac)
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
  var isExact: Bool { if case .cbc = method { false } else { true } }
  var isRC4: Bool { if case .rc4 = method { true } else { false } }

  /// Bytes of a fragment before the first encrypted byte of plaintext.
  var prefixLength: Int {
    switch method {
    case .null, .rc4: 0
    case .cbc(let cipher, _): version >= .tls11 ? cipher.blockLength : 0
    case .aead(let cipher): version == .tls13 ? 0 : cipher.algorithm.explicitNonceLength
    }
  }

  /// The least number of bytes by which a fragment is longer than its plaintext.
  var overhead: Int {
    switch method {
    case .null(let mac), .rc4(_, _, let mac): mac.length
    case .cbc(_, let mac): prefixLength + mac.length + 1
    case .aead(let cipher): prefixLength + cipher.algorithm.tagLength + (version == .tls13 ? 1 : 0)
    }
  }

  var minimumFragment: Int {
    guard case .cbc(let cipher, let mac) = method else { return overhead }
    let block = cipher.blockLength
    return encryptsThenMAC
      ? prefixLength + block + mac.length : prefixLength + (mac.length + block) / block * block
  }

  func isPlausible(_ count: Int) -> Bool {
    guard count >= minimumFragment else { return false }
    guard case .cbc(let cipher, let mac) = method else { return true }
    return (count - (encryptsThenMAC ? mac.length : 0)) % cipher.blockLength == 0
  }

  // MARK: - State between records

  /// A record went by: where the IV is chained, its last block is the next one's.
  /// - Parameter sequence: the record's number; nil if it was not proved.
  func pass(_ fragment: UnsafeBufferPointer<UInt8>, sequence: UInt64?) {
    guard case .cbc(let cipher, let mac) = method, version <= .tls10 else { return }
    let (block, end) = (cipher.blockLength, fragment.count - (encryptsThenMAC ? mac.length : 0))
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
    pass(bytes, sequence: nil)
  }

  // MARK: - Opening

  /// Decrypts and proves a fragment at `position`, or as if 1 to `tries` - 1 more records were before it.
  /// - Parameter output: room for the fragment.
  /// - Returns: how many more there were, and what the fragment has; nil if it cannot be proved.
  package func open(
    _ fragment: Fragment, at position: RecordPosition, tries: Int = 1, to output: UnsafeMutablePointer<UInt8>
  ) -> (more: Int, opened: Opened)? {
    guard isPlausible(fragment.count), tries > 0 else { return nil }
    func first(_ open: (UInt64) -> Opened?) -> (Int, Opened)? {
      for index in 0..<tries {
        if let opened = open(position.sequence &+ UInt64(index)) { return (index, opened) }
      }
      return nil
    }
    switch method {
    case .null(let mac):
      output.update(from: fragment.start, count: fragment.count)
      return first { proved(output, fragment.count - mac.length, fragment.type, $0, mac) }
    case .rc4 where tries == 1: return openRC4(fragment, position, output).map { (0, $0) }
    case .rc4: return searchRC4(fragment, position, tries, output)
    case .cbc(let cipher, let mac) where encryptsThenMAC:
      return first { openVerified(fragment, $0, cipher, mac, output) }
    // The MAC is under the encryption (RFC 5246, section 6.2.3.2).
    case .cbc(let cipher, let mac):
      guard let count = decrypt(fragment.start, fragment.count, cipher, output) else { return nil }
      return first { proved(output, count - mac.length, fragment.type, $0, mac) }
    case .aead(let cipher): return first { open(fragment, $0, cipher, output) }
    }
  }

  private func openRC4(
    _ fragment: Fragment, _ position: RecordPosition, _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    guard case .rc4(let state, let trial, let mac) = method, position.keystream >= state.position,
      position.keystream - state.position <= Self.maxRC4Skip
    else { return nil }
    trial.move(to: position.keystream, from: state)
    trial.apply(fragment.start, output, count: fragment.count)
    let opened = proved(output, fragment.count - mac.length, fragment.type, position.sequence, mac)
    if opened != nil { method = .rc4(trial, state, mac) }
    return opened
  }

  /// The key stream of all tries is made once.
  private func searchRC4(
    _ fragment: Fragment, _ position: RecordPosition, _ tries: Int, _ output: UnsafeMutablePointer<UInt8>
  ) -> (Int, Opened)? {
    guard case .rc4(let state, let trial, let mac) = method else { return nil }
    let possible = (position.keystream - state.position) / RecordHeader.length + 1
    let tries = min(tries, Self.maxRC4Tries, possible)
    let first = position.passing(tries - 1).keystream
    guard tries > 0, first >= state.position, first - state.position <= Self.maxRC4Skip else { return nil }
    trial.move(to: first, from: state)
    var stream = [UInt8](repeating: 0, count: position.keystream - first + fragment.count)
    stream.withUnsafeMutableBufferPointer { stream in
      if let start = stream.baseAddress { trial.apply(start, start, count: stream.count) }
    }
    for index in 0..<tries {
      let tried = position.passing(index)
      let start = tried.keystream - first
      for byte in 0..<fragment.count { output[byte] = fragment.start[byte] ^ stream[start + byte] }
      let opened = proved(output, fragment.count - mac.length, fragment.type, tried.sequence, mac)
      guard let opened else { continue }
      trial.move(to: tried.keystream + fragment.count, from: state)
      method = .rc4(trial, state, mac)
      return (index, opened)
    }
    return nil
  }

  private func open(
    _ fragment: Fragment, _ sequence: UInt64, _ cipher: AEADCipher, _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    let nonce = scratch
    let header = scratch + 12
    let length = fragment.count - prefixLength - cipher.algorithm.tagLength
    if version != .tls13, prefixLength > 0 {
      for index in 0..<4 { nonce[index] = iv[index] }
      for index in 0..<8 { nonce[4 + index] = fragment.start[index] }
    } else {
      for index in 0..<12 { nonce[index] = iv[index] }
      for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(56 - 8 * index)) }
    }
    if version == .tls13 {
      (header[0], header[1], header[2]) = (fragment.type, 3, 3)
      header[3] = UInt8(truncatingIfNeeded: fragment.count >> 8)
      header[4] = UInt8(truncatingIfNeeded: fragment.count)
    } else {
      write(sequence, fragment.type, length, to: header)
    }
    let additional = UnsafeBufferPointer(start: UnsafePointer(header), count: version == .tls13 ? 5 : 13)
    guard
      cipher.open(
        fragment.start + prefixLength, count: length, nonce: nonce, additional: additional, to: output)
    else { return nil }
    guard version == .tls13 else { return Opened(type: fragment.type, count: length) }
    // The content's type follows the content, and zeros may follow the type.
    var end = length
    while end > 0, output[end - 1] == 0 { end -= 1 }
    return end > 0 ? Opened(type: output[end - 1], count: end - 1) : Opened(type: 0, count: 0)
  }

  /// The MAC is of the ciphertext (RFC 7366).
  private func openVerified(
    _ fragment: Fragment, _ sequence: UInt64, _ cipher: CBCCipher, _ mac: KeyedDigest,
    _ output: UnsafeMutablePointer<UInt8>
  ) -> Opened? {
    let encrypted = fragment.count - mac.length
    guard proved(fragment.start, encrypted, fragment.type, sequence, mac) != nil else { return nil }
    if prefixLength == 0, provedIV != sequence {
      unreadableSequence = sequence
      return nil
    }
    return decrypt(fragment.start, encrypted, cipher, output).map { Opened(type: fragment.type, count: $0) }
  }

  /// Decrypts an IV, where there is one, and blocks; returns the length without the padding, or nil if that is wrong.
  private func decrypt(
    _ fragment: UnsafePointer<UInt8>, _ count: Int, _ cipher: CBCCipher, _ output: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    let length = count - prefixLength
    let isDecrypted =
      prefixLength > 0
      ? cipher.decrypt(fragment + prefixLength, count: length, iv: fragment, to: output)
      : isIVKnown && cipher.decrypt(fragment, count: length, iv: iv, to: output)
    guard isDecrypted, length > 0 else { return nil }
    let padding = Int(output[length - 1])
    // In SSL 3.0 the bytes of the padding have any value.
    if version == .ssl3 { return padding < min(length, cipher.blockLength) ? length - 1 - padding : nil }
    guard padding < length else { return nil }
    for index in (length - 1 - padding)..<length where output[index] != UInt8(padding) { return nil }
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
