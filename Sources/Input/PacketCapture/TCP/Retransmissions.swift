import Basics

/// Compares retransmitted bytes with their first copy.
extension HalfConnection {
  private mutating func noteCopy(_ count: Int = 0, conflicting: Int = 0, uncompared: Int = 0) {
    let known = copies.first ?? (0, 0, 0)
    copies = [(known.bytes &+ count, known.conflicting &+ conflicting, known.uncompared &+ uncompared)]
  }

  /// Compares bytes in `range` of positions, which were delivered or skipped, with what was delivered.
  mutating func compareDelivered(
    _ range: Range<Int>, _ bytes: RawSpan, from origin: PayloadOrigin, _ output: inout StreamOutput
  ) {
    var position = range.lowerBound
    while position < range.upperBound {
      guard let known = delivered.entry(at: position, next: next) else {
        position = skipForgotten(position..<range.upperBound, from: origin, &output)
        continue
      }
      let end = min(known.end, range.upperBound)
      let copy = bytes.extracting(position &- range.lowerBound..<end &- range.lowerBound)
      if known.range.fileOffset != nil {
        compare(copy, at: position, with: known, origin.advanced(by: position &- range.lowerBound), &output)
      } else if !origin.isKeepAlive {
        emitLate(
          position..<end, fileOffset: origin.fileOffset, origin.packet,
          "\(Count.of(end &- position, "byte")) of \(origin.packet.name) arrived after "
            + "\(known.range.packet.name), when their gap had been flushed (--reorder-window, "
            + "--stream-buffer): not used", &output)
      }
      position = end
    }
  }

  private mutating func compare(
    _ copy: RawSpan, at position: Int, with known: DeliveredRanges.Entry, _ origin: PayloadOrigin,
    _ output: inout StreamOutput
  ) {
    noteCopy(copy.byteCount)
    guard let first = known.range.origin?.advanced(by: position &- known.range.position) else { return }
    var difference: Difference?
    let isCompared =
      known.range.packet.input == origin.packet.input
      && output.withBytes(at: first.fileOffset..<first.fileOffset &+ copy.byteCount) {
        difference = Difference($1, copy)
      }
    if !isCompared { noteCopy(uncompared: copy.byteCount) }
    guard let difference else { return }
    let conflict = Conflict(
      position: position, difference: difference, first: first, second: origin,
      isWhole: known.end &- known.range.position == copy.byteCount, event: known.range.event)
    settle(conflict, copy, &output)
  }

  /// Compares bytes from `position` on with buffered ones.
  mutating func comparePending(
    _ known: PendingSegment, _ copy: RawSpan, at position: Int, _ origin: PayloadOrigin,
    _ output: inout StreamOutput
  ) {
    noteCopy(copy.byteCount)
    let start = position &- known.position
    let difference = Difference(known.bytes.span.bytes.extracting(start..<start &+ copy.byteCount), copy)
    guard let difference else { return }
    let conflict = Conflict(
      position: position, difference: difference, first: known.origin.advanced(by: start), second: origin,
      isWhole: known.bytes.count == copy.byteCount)
    settle(conflict, copy, &output)
  }

  private mutating func settle(_ conflict: Conflict, _ copy: RawSpan, _ output: inout StreamOutput) {
    guard let corrections = corrections(for: conflict, copy, &output) else { return }
    var isInTime = true
    if let event = conflict.event {
      isInTime =
        output.held.map {
          $0.awaits(conflict.first, conflict.second) && $0.correct(event, corrections, base: base)
        } ?? false
    } else {
      backlog?.segments.correct(conflict.position, corrections)
    }
    emit(conflict, corrections, isLate: !isInTime, &output)
  }

  /// Counts a conflict, and decides it. Nil for that of most keep-alives, whose byte may be anything (RFC 9293, section 3.8.4):
  /// it shows at most that the first copy is wrong.
  private mutating func corrections(
    for conflict: Conflict, _ copy: RawSpan, _ output: inout StreamOutput
  ) -> [Correction]? {
    noteCopy(conflicting: conflict.difference.count)
    let (first, second) = (conflict.first, conflict.second)
    let range = conflict.position..<conflict.position &+ copy.byteCount
    let replacement = Correction(range: range, copy: (copy.withUnsafeBytes { Array($0) }, second))
    let others = delivered.sample + (backlog?.segments.sample ?? [])
    let choice = output.choice(between: first, and: second, others: others)
    if second.isKeepAlive {
      return choice == .second ? [replacement, Correction(range: conflict.range)] : nil
    }
    switch choice {
    case .first: return []
    case .second:
      output.hasRightCopy = true
      // With the right bytes, the first segment's checksum must be right: else more of it is wrong.
      return output.isRight(first, with: copy) == true ? [replacement] : [.everything, replacement]
    case .neither:
      let isWrong = output.isRight(second) == false
      let doubt = Correction(range: conflict.range, sparesCopies: isWrong)
      return conflict.mayBePadding && !isWrong ? [replacement, doubt] : [doubt]
    }
  }

  /// Uses a right copy also for its bytes that wrong segments have, too, if fragments divide either.
  /// - Parameter isWhole: whether the bytes are not in fragments.
  mutating func replaceEqualBytes(
    _ bytes: RawSpan, at position: Int, by origin: PayloadOrigin, isWhole: Bool, _ output: inout StreamOutput
  ) {
    let range = position..<position &+ bytes.byteCount
    let corrections = [Correction(range: range, copy: (bytes.withUnsafeBytes { Array($0) }, origin))]
    func isWrong(_ known: Range<Int>, _ first: PayloadOrigin) -> Bool {
      let isCompared = isWhole && known.lowerBound <= position && range.upperBound <= known.upperBound
      return !isCompared && first.packet.input == origin.packet.input && output.isRight(first) == false
    }
    var start = max(position, base, delivered.firstPosition ?? position)
    while start < min(range.upperBound, next), let known = delivered.entry(at: start, next: next) {
      if let held = output.held, let first = known.range.origin, held.awaits(first, origin),
        isWrong(known.range.position..<known.end, first)
      {
        _ = held.correct(known.range.event, corrections, base: base)
      }
      start = known.end
    }
    for known in backlog?.segments.overlapping(range) ?? []
    where isWrong(known.position..<known.end, known.origin) {
      backlog?.segments.correct(known.position, corrections)
    }
  }

  private mutating func emit(
    _ conflict: Conflict, _ corrections: [Correction], isLate: Bool, _ output: inout StreamOutput
  ) {
    let names = (conflict.first.packet.name, conflict.second.packet.name)
    let isSecond = corrections.contains { $0.copy != nil }
    let isDecided = corrections.isEmpty || corrections.last?.copy != nil
    let (used, other) = isSecond ? (names.1, names.0) : names
    var finding = StreamFinding(
      .conflictingOverlap, length: conflict.range.count, packet: conflict.second.packet,
      message:
        "\(names.0) and \(names.1) differ in \(Count.of(conflict.difference.count, "byte")) here: "
        + "\(used) is used, "
        + (isDecided ? "the TCP checksum of \(other) is wrong" : "no checksum decides"))
    finding.isLate = isLate && !corrections.isEmpty
    emit(finding, at: conflict.range.lowerBound, &output)
  }

  /// Counts bytes whose first copy is no longer available. Returns the position after them.
  private mutating func skipForgotten(
    _ range: Range<Int>, from origin: PayloadOrigin, _ output: inout StreamOutput
  ) -> Int {
    if range.lowerBound < base {
      let end = min(range.upperBound, base)
      if !origin.isKeepAlive {
        emitLate(
          range.lowerBound..<end, fileOffset: origin.fileOffset, origin.packet,
          .lateBytesBeforeBeginning(end &- range.lowerBound, of: origin.packet.name), &output)
      }
      return end
    }
    let end = min(range.upperBound, delivered.firstPosition ?? .max)
    noteCopy(uncompared: end &- range.lowerBound)
    return end
  }
}

/// Two different copies of bytes from `position` on.
private struct Conflict {
  var position: Int
  var difference: Difference
  var first: PayloadOrigin
  var second: PayloadOrigin
  /// Whether the second copy has all bytes of the first one.
  var isWhole: Bool
  /// The event that delivered the first copy; nil if it is buffered.
  var event: EventReference?

  /// Whether the first copy may be padding that an acknowledgement's length counts (up to 6 bytes in Ethernet), or a
  /// keep-alive, which came before the data.
  var mayBePadding: Bool {
    guard isWhole, difference.length <= 6, case .inFile(let before, let length) = second.checksum else {
      return false
    }
    return Int(length &- before) > difference.length
  }

  /// From the first to the last differing byte.
  var range: Range<Int> { position &+ difference.first..<position &+ difference.last &+ 1 }
}

/// The difference between two copies of the same bytes.
struct Difference: Equatable {
  /// Indices (from 0) of the first and the last differing byte, and the number of differing bytes.
  var first: Int
  var last: Int
  var count: Int
  /// Bytes compared.
  let length: Int

  /// Nil if the copies, which have one length, are equal.
  init?(_ one: RawSpan, _ other: RawSpan) {
    length = one.byteCount
    var index = 0
    while index &+ 8 <= length,
      one.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
        == other.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
    { index &+= 8 }
    (first, last, count) = (0, 0, 0)
    while index < length {
      if one.byte(at: index) != other.byte(at: index) {
        if count == 0 { first = index }
        last = index
        count += 1
      }
      index &+= 1
    }
    if count == 0 { return nil }
  }
}
