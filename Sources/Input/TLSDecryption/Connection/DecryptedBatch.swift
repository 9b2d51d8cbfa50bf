/// A record of application data that its MAC or tag proved.
package struct PlaintextRecord: BitwiseCopyable, Sendable, Equatable {
  package var sender: Sender
  /// Offset in the direction of the record's header, and bytes of header and fragment.
  package var ciphertextOffset: Int
  package var ciphertextLength: Int
  /// Offset in the direction of the ciphertext of the first byte. Byte n of the plaintext is at n bytes after it: exactly
  /// with stream ciphers and AEADs, in the same block with CBC.
  package var contentOffset: Int
  /// Offset of the first byte in the direction's plaintext, gaps counted.
  package var plaintextOffset: Int
  /// Index in `DecryptedBatch.bytes`, and how many.
  package var start: Int
  package var count: Int
}

/// Plaintext that is missing or that nothing proves.
package struct PlaintextGap: BitwiseCopyable, Sendable, Equatable {
  package enum Cause: BitwiseCopyable, Sendable {
    /// Ciphertext was not captured.
    case missing
    /// A record's MAC or tag is wrong, or its header.
    case unverified
    /// The direction ends within a record.
    case cut
  }

  package var sender: Sender
  package var cause: Cause
  /// Offset in the direction's plaintext, and bytes: an upper bound unless `isExact`.
  package var plaintextOffset: Int
  package var length: Int
  package var isExact: Bool
  /// The range of the direction's ciphertext between the proved records.
  package var ciphertextOffset: Int
  package var ciphertextLength: Int
}

/// Why a direction, or what follows in it, cannot be decrypted.
package struct DecryptionFailure: Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    /// No secret is of this connection. The client random is nil where its hello was not captured.
    case noKey(HelloRandom?)
    /// The same, and secrets that name no connection were not tried any more.
    case trialLimit(HelloRandom?)
    /// The hello of the sender was not captured, and without it no secret helps.
    case handshakeNotCaptured(Sender)
    /// Messages are missing that the keys depend on.
    case handshakeIncomplete
    case unsupportedSuite(String)
    case unsupportedVersion(TLSVersion)
    /// Records are compressed, by the method of this number.
    case compressed(Int)
    /// Records from `offset` on have a wrong MAC or tag: a wrong secret, or damage.
    case wrongMAC
  }

  package var sender: Sender
  package var reason: Reason
  /// Offset in the direction of the first record concerned.
  package var offset: Int

  package init(sender: Sender, reason: Reason, offset: Int) {
    (self.sender, self.reason, self.offset) = (sender, reason, offset)
  }
}

package struct TLSAlert: BitwiseCopyable, Sendable, Equatable {
  package var sender: Sender
  package var level: UInt8
  package var code: UInt8
  /// Offset in the direction of its record.
  package var offset: Int
}

package enum DecryptedEvent: Sendable, Equatable {
  case record(PlaintextRecord)
  case gap(PlaintextGap)
  case failure(DecryptionFailure)
  case alert(TLSAlert)
}

/// What some input gave, in order. It is used again and again.
package struct DecryptedBatch: Sendable {
  package private(set) var events: [DecryptedEvent] = []
  private var storage: [UInt8] = []
  private var count = 0
  /// Less than what allocators get from the system each time: 128 KiB.
  private static let usualCount = 96 << 10

  package init() {}

  package mutating func removeEvents() { events.removeAll(keepingCapacity: true) }

  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    count = 0
  }

  /// The plaintext of all records.
  package var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Bytes of plaintext.
  package var byteCount: Int { count }

  /// Takes the plaintext of all records out, to keep it; their `start` is the index in it.
  package mutating func takeBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &storage)
    count = 0
    events.removeAll(keepingCapacity: true)
    return taken
  }

  package func bytes(of record: PlaintextRecord) -> ArraySlice<UInt8> {
    guard record.start >= 0, record.count >= 0, record.start + record.count <= count else { return [] }
    return storage[record.start..<(record.start + record.count)]
  }

  mutating func add(_ event: DecryptedEvent) { events.append(event) }

  /// Gives `body` room for `room` bytes after the plaintext. They count once they are committed.
  mutating func withRoom<T>(_ room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> T?) -> T? {
    if storage.count - count < room { grow(room) }
    return storage.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.flatMap { body($0 + count) }
    }
  }

  /// The first storage has room for what is usual, and what is not written yet is not cleared: that would be a pass over
  /// all of it.
  @inline(never)
  private mutating func grow(_ room: Int) {
    let kept = storage[..<count]
    storage = [UInt8](unsafeUninitializedCapacity: max(count + room, 2 * count, Self.usualCount)) {
      bytes, count in
      _ = bytes.initialize(fromContentsOf: kept)
      count = bytes.count
    }
  }

  /// The bytes that were written last and are not committed.
  func uncommitted<T>(_ length: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    storage.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[count..<min($0.count, count + length)]))
    }
  }

  /// Adds a record whose bytes were written last.
  mutating func commit(_ record: PlaintextRecord) {
    var record = record
    record.start = count
    count += record.count
    events.append(.record(record))
  }
}
