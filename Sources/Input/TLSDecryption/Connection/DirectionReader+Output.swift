import Basics
import PacketCapture

extension DirectionReader {
  var output: DecryptedEvents { state.context.output }

  /// The extent of the byte at `offset`; nil if it was forgotten, or none has come.
  private mutating func origin(at offset: Int) -> SourceExtent? {
    guard offset < originsEnd, let origin = origins.origin(at: offset), origin.streamOffset <= offset else {
      return nil
    }
    return origin
  }

  /// Forgets those that no record needs.
  mutating func forgetOrigins() { origins.forget(before: bufferOffset) }

  mutating func note(_ reason: Message, at offset: Int) {
    state.stops.append(
      DecryptionStop(side: side, message: reason, offset: offset, origin: origin(at: offset)))
  }

  mutating func fail(_ reason: Message, at offset: Int) {
    note(reason, at: offset)
    phase = .unreadable
  }

  func wrongMAC(from offset: Int) -> Message {
    "the MAC of the \(name)'s records is wrong from offset \(offset) of the ciphertext on: the "
      + "key is of another connection, or the capture is damaged"
  }

  /// Adds plaintext that is missing before the record at `next`, or at the end.
  mutating func addGap(
    _ length: Int, _ cause: StreamGap.Cause, isExact: Bool = false, before next: Int? = nil
  ) {
    // A secret that proved nothing says nothing about the length.
    guard length > 0, state.secret != nil else { return }
    let after = next.flatMap { origin(at: $0) }
    var gap = StreamGap(
      offset: plaintextOffset, length: length, fileOffset: next.flatMap { after?.fileOffset(of: $0) },
      packet: after?.packet)
    (gap.cause, gap.isUpperBound) = (cause, !isExact)
    output.events.gap(gap, slot: state.slot, side: side)
    plaintextOffset += length
  }

  /// Adds the bytes that `opener` wrote last. Byte n of them is at n bytes after the first one of the ciphertext: exactly with
  /// stream ciphers and AEADs, in the same block with CBC.
  mutating func addData(_ count: Int, of record: Record, _ opener: RecordOpener) {
    guard count > 0 else { return }
    let start = record.offset + RecordHeader.length + opener.prefixLength
    recordOrigins.removeAll(keepingCapacity: true)
    origins.copy(start..<start + count, shiftedBy: plaintextOffset - start, to: &recordOrigins)
    output.commit(count, slot: state.slot, side: side, origins: recordOrigins)
    plaintextOffset += count
    hasData = true
  }

  /// Bytes by which fragments are longer than their plaintext; nil where no keys are in use.
  private var overhead: Int? {
    switch phase {
    case .protected(let opener, _): opener.overhead
    case .traffic(let keys): keys?.opener.overhead ?? 0
    case .plain, .pending, .unreadable: nil
    }
  }

  mutating func noteUnproved() {
    if overhead != nil, let offset = trail.seen.firstUnverified { note(wrongMAC(from: offset), at: offset) }
  }

  /// Adds what the direction ends with and nothing proved, once a secret is known.
  mutating func addUnproved() {
    guard let overhead, end > trail.anchor, state.secret != nil else { return }
    let length = trail.lostPlaintext(before: end, records: trail.seen.records, overhead: overhead)
    addGap(length, trail.seen.firstUnverified == nil ? .cut : .unverified)
    trail.restart(at: end)
  }

  /// Adds what nothing says more about when both directions have ended: with the last key that fits, its plaintext has
  /// fewer bytes than its ciphertext.
  mutating func addRest() {
    if isUnreadable, hasData, let stop {
      addGap(end - stop.offset, .unverified)
    } else {
      addUnproved()
    }
  }
}
