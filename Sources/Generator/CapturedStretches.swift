/// Bytes of one direction that the capture has, by their place in it, while packets may still change what is known of
/// them. The first copy of a byte counts (docs/spec/captures.md#reassembly).
struct CapturedStretches {
  /// Bytes that one packet was the first to bring.
  struct Stretch {
    /// Offsets as they were sent.
    var range: Range<Int>
    /// Of the first byte.
    var place: CapturedPlace
    /// Bytes of it that came again otherwise, and with which packet.
    var conflicts: [(range: Range<Int>, packet: Int)] = []
  }

  /// Disjoint, ascending.
  private var stretches: [Stretch] = []

  /// A packet brought the bytes of `range`, the first of them at `place`.
  /// - Parameter altered: which of them are not those that were sent; others brought these before.
  mutating func add(_ range: Range<Int>, _ place: CapturedPlace, altered: Range<Int>?) {
    var cursor = range.lowerBound
    var index = 0
    while index < stretches.count, cursor < range.upperBound {
      let known = stretches[index].range
      if known.upperBound > cursor {
        if insert(cursor..<max(cursor, min(known.lowerBound, range.upperBound)), of: range, place, at: index)
        {
          index += 1
        }
        if let altered { noteConflict(altered, place.packet, at: index) }
        cursor = max(cursor, known.upperBound)
      }
      index += 1
    }
    _ = insert(cursor..<max(cursor, range.upperBound), of: range, place, at: stretches.count)
  }

  private mutating func insert(
    _ part: Range<Int>, of range: Range<Int>, _ place: CapturedPlace, at index: Int
  ) -> Bool {
    guard !part.isEmpty else { return false }
    var place = place
    place.fileOffset += part.lowerBound - range.lowerBound
    stretches.insert(Stretch(range: part, place: place), at: index)
    return true
  }

  private mutating func noteConflict(_ altered: Range<Int>, _ packet: Int, at index: Int) {
    let shared = altered.clamped(to: stretches[index].range)
    if !shared.isEmpty { stretches[index].conflicts.append((shared, packet)) }
  }

  /// Takes the first stretch if nothing can change it any more: no packet is still to come that begins before
  /// `frontier`.
  mutating func removeFirst(before frontier: Int) -> Stretch? {
    guard let first = stretches.first, first.range.upperBound <= frontier else { return nil }
    return stretches.removeFirst()
  }

  /// Whether the byte at `offset` is there.
  func contains(_ offset: Int) -> Bool { stretches.contains { $0.range.contains(offset) } }
}

/// A TCP segment before it is a packet (RFC 9293, section 3.1).
struct GeneratedSegment {
  enum Flag {
    static let fin: UInt8 = 0x01
    static let syn: UInt8 = 0x02
    static let reset: UInt8 = 0x04
    static let push: UInt8 = 0x08
    static let ack: UInt8 = 0x10
  }

  var isFromServer: Bool
  var sequence: UInt32
  var acknowledgement: UInt32
  var flags: UInt8
  var payload: [UInt8] = []
  /// Offset of the payload in its direction, as it was sent: in bytes from 0, what was not captured counted in.
  var offset = 0
  /// Places in the payload of bytes that are not those that were sent.
  var altered: Range<Int>?
  /// How many bytes at the payload's end the capture lacks: its snap length cut them off.
  var missing = 0
  /// Whether the capture has it, in its turn or later.
  var mustArrive = false
  /// Whether the capture has it once and in its turn, whatever befalls others.
  var isProtected = false

  var range: Range<Int> { offset..<offset + payload.count }
}

/// Segments that come into the capture later than in their turn. There are few: none waits longer than
/// `CaptureScenario.longestDelay` packets.
struct DelayedPackets {
  struct Packet {
    /// How many packets must have been captured before it.
    var due: Int
    /// Which of the open connections it is of.
    var slot: Int
    var segment: GeneratedSegment
  }

  private var packets: [Packet] = []

  mutating func add(_ packet: Packet) { packets.append(packet) }

  /// Takes what is due first, if that is now; of several the one that was added first.
  /// - Parameter count: how many packets have been captured; nil for whatever is left.
  mutating func removeDue(at count: Int?) -> Packet? {
    guard let first = packets.indices.min(by: { packets[$0].due < packets[$1].due }) else { return nil }
    if let count, packets[first].due > count { return nil }
    return packets.remove(at: first)
  }

  func holdsAny(of slot: Int) -> Bool { packets.contains { $0.slot == slot } }

  /// The lowest offset that is still to come from a side of a connection; nil where nothing is.
  func firstOffset(of slot: Int, isFromServer: Bool) -> Int? {
    packets.lazy.filter { $0.slot == slot && $0.segment.isFromServer == isFromServer }.map(\.segment.offset)
      .min()
  }
}
