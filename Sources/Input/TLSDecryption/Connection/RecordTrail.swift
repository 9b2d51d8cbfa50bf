/// What went by since the last record that was proved: records whose headers were seen, and bytes that were not.
struct RecordTrail {
  /// Offset in the direction of the end of the last proved record.
  private(set) var anchor = 0
  /// The position of a record at the anchor, but for its header.
  private(set) var position = RecordPosition()
  /// Records since then whose headers were seen.
  private(set) var seen = Seen()
  /// The keys changed somewhere after the anchor, it is not known where.
  var isKeyChangeLost = false

  struct Seen {
    fileprivate(set) var records = 0
    fileprivate var bytes = 0
    /// Those of them that have application data, as far as their headers say.
    fileprivate var applicationRecords = 0
    fileprivate var applicationBytes = 0
    fileprivate(set) var firstUnverified: Int?
  }

  /// A record of the offset after which nothing is unknown.
  mutating func restart(at offset: Int) {
    anchor = offset
    seen = Seen()
  }

  /// New keys are in use from the offset on.
  mutating func restartKeys(at offset: Int) {
    restart(at: offset)
    isKeyChangeLost = false
    position = RecordPosition()
  }

  /// A record was proved, which ends at the offset.
  mutating func prove(_ position: RecordPosition, _ fragment: Fragment, end: Int) {
    restartKeys(at: end)
    self.position = RecordPosition(
      sequence: position.sequence &+ 1, keystream: position.keystream + fragment.count)
  }

  /// A record that is not proved, at `offset` if all of it is there.
  mutating func see(_ header: RecordHeader, unverifiedAt offset: Int? = nil) {
    seen.records += 1
    seen.bytes += header.recordLength
    if header.type == RecordHeader.ContentType.application {
      seen.applicationRecords += 1
      seen.applicationBytes += header.recordLength
    }
    if seen.firstUnverified == nil { seen.firstUnverified = offset }
  }

  /// A record that is not encrypted and has no number: TLS 1.3 allows some.
  mutating func pass(_ header: RecordHeader, at offset: Int) {
    if offset == anchor { anchor += header.recordLength } else { seen.bytes += header.recordLength }
  }

  /// Bytes before `offset` of which not even headers were seen.
  func unseenBytes(before offset: Int) -> Int { max(0, offset - anchor - seen.bytes) }

  /// How many records may be between the anchor and `offset`; nil where that contradicts itself.
  func lostRecords(before offset: Int, minimum: Int, isFresh: Bool) -> ClosedRange<Int>? {
    let unseen = unseenBytes(before: offset)
    let most = seen.records + unseen / max(1, RecordHeader.length + minimum)
    let least = isFresh ? 0 : seen.records + (unseen > 0 ? 1 : 0)
    return least <= most ? least...most : nil
  }

  /// Bytes of plaintext between the anchor and `offset`, if `count` records are there.
  /// - Parameter overhead: bytes by which a fragment is longer than its plaintext, at least.
  func lostPlaintext(before offset: Int, records count: Int, overhead: Int) -> Int {
    let overhead = RecordHeader.length + overhead
    let ofSeen = seen.applicationBytes - seen.applicationRecords * overhead
    let ofUnseen = unseenBytes(before: offset) - max(0, count - seen.records) * overhead
    return max(0, ofSeen) + max(0, ofUnseen)
  }
}
