/// The bytes that one side of an HTTP/2 connection sends, and those that are captured.
struct PushSide {
  struct Frames {
    var stream: UInt32
    /// Offsets in the sent bytes.
    var range: Range<Int>
    /// Location of the first byte; nil if it is not captured.
    var location: CapturedLocation?
    var hasGap = false
    /// Whether bytes of the direction are missing before the end of these frames.
    var isAfterGap = false
  }

  /// Bytes to send. Those before index `taken` are sent.
  private var pending: [UInt8] = []
  private var taken = 0
  /// Offset of the next byte to send.
  private var sentCount = 0

  var extents = CapturedExtents()
  /// Offset in the sent bytes up to which everything is settled.
  private var done = 0
  /// Offset in the sent bytes at which the stream begins; nil before the first captured byte.
  private(set) var base: Int?
  private var firstGap: Int?
  private var lastGap = 0..<0
  private(set) var bytes = 0
  /// The frames of pushes, by offset. Those before index `settled` are settled.
  private var frames: [Frames] = []
  private var settled = 0

  /// - Parameter isMidstream: whether the capture lacks the SYN, so that the stream begins with the first captured
  ///   byte.
  init(isMidstream: Bool) {
    base = isMidstream ? nil : 0
    firstGap = isMidstream ? 0 : nil
  }

  // MARK: - Sending

  var isEmpty: Bool { taken == pending.count }

  /// Adds bytes. Returns the offset of the first.
  mutating func add(_ bytes: [UInt8]) -> Int {
    if isEmpty {
      pending.removeAll(keepingCapacity: true)
      taken = 0
    }
    pending += bytes
    return sentCount + pending.count - taken - bytes.count
  }

  mutating func add(_ frames: Frames) { self.frames.append(frames) }

  mutating func take(_ count: Int) -> [UInt8] {
    let next = pending[taken..<min(taken + count, pending.count)]
    taken = next.endIndex
    sentCount += next.count
    return Array(next)
  }

  // MARK: - Captured bytes

  /// Settled frames, until `removeSettled()`.
  private(set) var settledFrames: [Frames] = []
  /// Ranges of settled bytes that a later packet repeats with other bytes, and its number.
  private(set) var conflicts: [(range: Range<Int>, packet: Int)] = []

  mutating func removeSettled() {
    settledFrames.removeAll(keepingCapacity: true)
    conflicts.removeAll(keepingCapacity: true)
  }

  /// Settles the captured bytes before `frontier`, which no later packet can affect.
  mutating func settle(before frontier: Int) {
    while let extent = extents.removeFirst(before: frontier) {
      if base == nil { base = extent.range.lowerBound }
      if extent.range.lowerBound > done { lose(to: extent.range.lowerBound) }
      conflicts += extent.conflicts
      bytes += extent.range.count
      locate(in: extent)
      done = extent.range.upperBound
      settleFrames()
    }
  }

  /// Settles everything that was sent, up to `end`.
  mutating func finish(at end: Int) {
    if done < end { lose(to: end) }
    settleFrames()
  }

  private mutating func lose(to end: Int) {
    if firstGap == nil { firstGap = done }
    lastGap = done..<end
    done = end
    settleFrames()
  }

  private mutating func locate(in extent: CapturedExtents.Extent) {
    for index in frames.indices[settled...] {
      let start = frames[index].range.lowerBound
      guard start < extent.range.upperBound else { return }
      guard extent.range.contains(start) else { continue }
      frames[index].location = extent.location
      frames[index].location?.fileOffset += start - extent.range.lowerBound
    }
  }

  private mutating func settleFrames() {
    while settled < frames.count, frames[settled].range.upperBound <= done {
      var entry = frames[settled]
      settled += 1
      entry.hasGap = entry.range.overlaps(lastGap)
      entry.isAfterGap = (firstGap ?? .max) < entry.range.upperBound
      settledFrames.append(entry)
    }
    if settled > 1024 {
      frames.removeFirst(settled)
      settled = 0
    }
  }
}
