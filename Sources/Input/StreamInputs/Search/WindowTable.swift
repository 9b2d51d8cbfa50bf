/// A set of windows, of eight bytes each, with codes.
///
/// Nearly all windows of a file are in no set, which two bits of one word say: the words fit in the processor's cache.
/// The others are looked up in a hash table, which errs only once in millions of times.
final class WindowTable {
  /// A code is from 0 to 62.
  typealias Code = Int

  /// Two bits for each window, in one word.
  struct Filter {
    fileprivate let words: UnsafeMutablePointer<UInt64>
    fileprivate let shift: UInt64

    /// Whether a window with that hash may be in the set.
    @inline(__always)
    func mayHave(_ hash: UInt64) -> Bool {
      let bits = bits(hash)
      return words[Int(truncatingIfNeeded: hash &>> shift)] & bits == bits
    }

    /// By the bits of the hash below those that choose the word.
    @inline(__always)
    fileprivate func bits(_ hash: UInt64) -> UInt64 {
      1 &<< (hash &>> (shift &- 6)) | 1 &<< (hash &>> (shift &- 12))
    }
  }

  let filter: Filter
  /// For each window, from its home on: 26 bits of its hash, and 6 of its code; 0 is free.
  private let slots: UnsafeMutableBufferPointer<UInt32>
  /// Windows to insert together.
  private var waiting: [(hash: UInt64, code: Code)] = []
  private static let mostWaiting = 64
  /// What was read only to have it in the cache.
  private var touched: UInt64 = 0

  private static let codeBits: UInt32 = 6
  private static let tagBits: UInt64 = 26

  init(capacity: Int) {
    // Twelve bits for a window or more, of which two are set: less than one other window in 30 passes.
    let bits = Int.bitWidth - max(63, capacity / 5).leadingZeroBitCount
    filter = Filter(words: .allocate(capacity: 1 << bits), shift: UInt64(64 - bits))
    filter.words.initialize(repeating: 0, count: 1 << bits)
    slots = .allocate(capacity: capacity + capacity / 3 + 1)
    slots.initialize(repeating: 0)
  }

  deinit {
    filter.words.deallocate()
    slots.deallocate()
  }

  @inline(__always)
  static func hash(_ window: UInt64) -> UInt64 { window &* 0x9e37_79b9_7f4a_7c15 }

  /// The first slot of a window, and its entry with code 0: the hash is spread over the slots, and what is left of it is the
  /// tag.
  private func home(_ hash: UInt64) -> (slot: Int, entry: UInt32) {
    let (slot, rest) = hash.multipliedFullWidth(by: UInt64(slots.count))
    return (Int(slot), UInt32(truncatingIfNeeded: rest >> (64 - Self.tagBits)) << Self.codeBits)
  }

  /// Adds a window; there must be room, and `finish` has to follow.
  func insert(_ hash: UInt64, _ code: Code) {
    waiting.append((hash, code))
    if waiting.count == Self.mostWaiting { finish() }
  }

  /// Inserts the windows that wait.
  func finish() {
    // All are far apart in memory: reading them in a row takes the time of a few.
    for (hash, _) in waiting {
      touched &+= filter.words[Int(hash >> filter.shift)] &+ UInt64(slots[home(hash).slot])
    }
    for (hash, code) in waiting { insertNow(hash, code) }
    waiting.removeAll(keepingCapacity: true)
  }

  private func insertNow(_ hash: UInt64, _ code: Code) {
    filter.words[Int(hash >> filter.shift)] |= filter.bits(hash)
    var (slot, entry) = home(hash)
    entry |= UInt32(code + 1)
    while slots[slot] != 0 {
      if slots[slot] == entry { return }
      slot = slot + 1 < slots.count ? slot + 1 : 0
    }
    slots[slot] = entry
  }

  /// Calls `found` with the codes of the window.
  @inline(never)
  func lookUp(_ hash: UInt64, _ found: (Code) -> Void) {
    var (slot, entry) = home(hash)
    while slots[slot] != 0 {
      let code = slots[slot] & (1 << Self.codeBits - 1)
      if slots[slot] ^ code == entry { found(Int(code) - 1) }
      slot = slot + 1 < slots.count ? slot + 1 : 0
    }
  }
}
