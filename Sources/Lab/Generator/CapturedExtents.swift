/// The captured bytes of one direction that later packets may still affect, with their locations in the capture.
/// The first copy of a byte counts (docs/spec/captures.md#reassembly).
struct CapturedExtents {
  /// Bytes that one packet contains first.
  struct Extent {
    /// Offsets in the sent bytes.
    var range: Range<Int>
    /// Location of the first byte.
    var location: CapturedLocation
    /// Ranges that a later packet contains with other bytes, and its number.
    var conflicts: [(range: Range<Int>, packet: Int)] = []
  }

  /// Disjoint, ascending.
  private var extents: [Extent] = []

  /// Adds the bytes of a captured part. Altered bytes differ from the sent ones, which an earlier packet had.
  mutating func add(_ part: CapturedPart, of segment: GeneratedSegment) {
    func sent(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + segment.offset..<range.upperBound + segment.offset
    }
    let (range, location) = (sent(part.range), part.location)
    let altered = segment.altered.map { sent($0.clamped(to: part.range)) }
    var cursor = range.lowerBound
    var index = 0
    while index < extents.count, cursor < range.upperBound {
      let known = extents[index].range
      if known.upperBound > cursor {
        if insert(
          cursor..<max(cursor, min(known.lowerBound, range.upperBound)), of: range, location, at: index)
        {
          index += 1
        }
        if let altered, altered.overlaps(known) {
          extents[index].conflicts.append((altered.clamped(to: known), location.packet))
        }
        cursor = max(cursor, known.upperBound)
      }
      index += 1
    }
    _ = insert(cursor..<max(cursor, range.upperBound), of: range, location, at: extents.count)
  }

  private mutating func insert(
    _ part: Range<Int>, of range: Range<Int>, _ location: CapturedLocation, at index: Int
  ) -> Bool {
    guard !part.isEmpty else { return false }
    var location = location
    location.fileOffset += part.lowerBound - range.lowerBound
    extents.insert(Extent(range: part, location: location), at: index)
    return true
  }

  /// Removes the first extent if it is final: no later packet begins before `frontier`.
  mutating func removeFirst(before frontier: Int) -> Extent? {
    guard let first = extents.first, first.range.upperBound <= frontier else { return nil }
    return extents.removeFirst()
  }
}

/// A TCP segment (RFC 9293, section 3.1), to be encoded as a packet.
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
  var acknowledgement: UInt32 = 0
  var flags: UInt8
  /// Offset of the payload in the sent bytes of its direction, from 0, including bytes that are not captured.
  var offset = 0
  var payload: [UInt8] = []
  /// Indices in the payload of bytes that differ from the sent ones.
  var altered: Range<Int>?
  /// The number of bytes at the end of the payload that the snap length cuts off.
  var missing = 0
  /// Whether it must be captured, in order or delayed.
  var mustArrive = false
  /// Whether it must be captured exactly once and in order.
  var isProtected = false

  var range: Range<Int> { offset..<offset + payload.count }
}

/// Segments that are captured late. There are few, since none is delayed by more than `CaptureScenario.longestDelay`
/// packets.
struct DelayedPackets {
  struct Packet {
    /// The number of packets to capture before it.
    var due: Int
    var slot: Int
    var segment: GeneratedSegment
  }

  private var packets: [Packet] = []

  mutating func add(_ packet: Packet) { packets.append(packet) }

  /// Removes the packet that is due first, if it is due now; of several, the one added first.
  /// - Parameter count: the number of packets captured so far; nil to ignore the due time.
  mutating func removeDue(at count: Int?) -> Packet? {
    guard let first = packets.indices.min(by: { packets[$0].due < packets[$1].due }) else { return nil }
    if let count, packets[first].due > count { return nil }
    return packets.remove(at: first)
  }

  func contains(slot: Int) -> Bool { packets.contains { $0.slot == slot } }

  /// The lowest offset of the delayed packets from one side of a connection; nil if there is none.
  func firstOffset(of slot: Int, isFromServer: Bool) -> Int? {
    packets.lazy.filter { $0.slot == slot && $0.segment.isFromServer == isFromServer }.map(\.segment.offset)
      .min()
  }
}
