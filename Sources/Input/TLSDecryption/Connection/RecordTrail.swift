/// What went by since the last record that was proved: records whose headers were seen, and bytes that were not.
struct RecordTrail {
  /// Offset in the direction of the end of the last proved record.
  private(set) var anchor = 0
  /// Number of the record at the anchor, and bytes of the RC4 key stream before it.
  private(set) var sequence: UInt64 = 0
  private(set) var keystream = 0
  /// Records since then whose headers were seen, and their bytes.
  private(set) var seenRecords = 0
  private(set) var seenBytes = 0
  /// Those of them that have application data, as far as their headers say.
  private var applicationRecords = 0
  private var applicationBytes = 0
  /// The keys changed somewhere after the anchor, it is not known where.
  var isKeyChangeLost = false
  private(set) var firstUnverified: Int?

  /// A record of the offset after which nothing is unknown.
  mutating func restart(at offset: Int) {
    anchor = offset
    forget()
  }

  /// New keys are in use from the offset on.
  mutating func restartKeys(at offset: Int) {
    restart(at: offset)
    isKeyChangeLost = false
    sequence = 0
    keystream = 0
  }

  mutating func prove(_ sequence: UInt64, keystream: Int, end: Int) {
    self.sequence = sequence &+ 1
    self.keystream = keystream
    anchor = end
    isKeyChangeLost = false
    forget()
  }

  private mutating func forget() {
    seenRecords = 0
    seenBytes = 0
    applicationRecords = 0
    applicationBytes = 0
    firstUnverified = nil
  }

  /// A record that is not proved, at `offset` if all of it is there.
  mutating func see(_ header: RecordHeader, unverifiedAt offset: Int? = nil) {
    seenRecords += 1
    seenBytes += header.recordLength
    if header.type == RecordHeader.Content.application {
      applicationRecords += 1
      applicationBytes += header.recordLength
    }
    if firstUnverified == nil { firstUnverified = offset }
  }

  /// A record that is not encrypted and has no number: TLS 1.3 allows some.
  mutating func pass(_ header: RecordHeader, at offset: Int) {
    if offset == anchor { anchor += header.recordLength } else { seenBytes += header.recordLength }
  }

  /// Bytes before `offset` of which not even headers were seen.
  func unseenBytes(before offset: Int) -> Int { max(0, offset - anchor - seenBytes) }

  /// How many records may be between the anchor and `offset`; nil where that contradicts itself.
  func lostRecords(before offset: Int, minimum: Int, isFresh: Bool) -> ClosedRange<Int>? {
    let unseen = unseenBytes(before: offset)
    let most = seenRecords + unseen / max(1, RecordHeader.length + minimum)
    let least = isFresh ? 0 : seenRecords + (unseen > 0 ? 1 : 0)
    return least <= most ? least...most : nil
  }

  /// Bytes of plaintext between the anchor and `offset`, if `count` records are there.
  /// - Parameter overhead: bytes by which a fragment is longer than its plaintext, at least.
  func lostPlaintext(before offset: Int, records count: Int, overhead: Int) -> Int {
    let overhead = RecordHeader.length + overhead
    let ofSeen = applicationBytes - applicationRecords * overhead
    let ofUnseen = unseenBytes(before: offset) - max(0, count - seenRecords) * overhead
    return max(0, ofSeen) + max(0, ofUnseen)
  }
}
