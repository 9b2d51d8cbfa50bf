/// Plausibility of records at arbitrary indices: after damage, and within a record whose length may be wrong.
extension PcapRecords {
  /// After damage only packets up to this length are plausible, in bytes: libpcap's own limit for nearly all link
  /// types.
  private static let maxPlausible: UInt32 = 262_144

  /// In seconds.
  private static let day: Int64 = 86_400
  private static let year: UInt32 = 365 * 86_400

  /// A header is plausible if it is valid and
  /// - it is evident by itself, even if garbage follows its packet, or
  /// - its time is near the last one, and the next header is near as well or the file ends there, or
  /// - the clock jumped, and each of the next two headers is near the one before. Small numbers in a packet's bytes
  ///   can look like that, so times in 1970 do not count, nor a jump within a suspect record.
  ///
  /// Before the first packet, the suspect record's time is the reference. Without even that, the end of the file
  /// exactly after a packet is enough.
  func plausibility(at index: Int, suspect: Int?, in window: RawSpan, isLast: Bool) -> RecordPlausibility {
    // `isEvident` reads one byte after the header.
    guard window.byteCount &- index > headerLength || isLast else { return .needs(headerLength &+ 1) }
    guard window.byteCount &- index >= headerLength else { return .no }
    let first = header(at: index, in: window)
    guard isPlausible(first, near: first.seconds) else { return .no }
    let suspectHeader = suspect.map { header(at: $0, in: window) }
    if let suspect, let suspectHeader, isEvident(at: suspect, near: reference, in: window) {
      let end = min(suspect &+ headerLength &+ suspectHeader.length, window.byteCount)
      let last = reference ?? suspectHeader.seconds
      return leadsOut(from: index, beyond: end, near: last, in: window, isLast: isLast)
    }
    let last = reference ?? suspectHeader?.seconds
    if isEvident(at: index, near: last, in: window) { return .yes }
    let isNear = last.map { PcapHeaderRules.isNear(first.seconds, $0) } ?? false
    guard isNear || (suspect == nil && first.seconds >= Self.year) else { return .no }
    let end = index &+ headerLength &+ first.length
    guard end &+ headerLength <= window.byteCount else {
      if !isLast { return .needs(end &+ headerLength &- index) }
      let endsHere = end == window.byteCount && last == nil
      return endsHere || (isNear && end <= window.byteCount) ? .yes : .no
    }
    let second = header(at: end, in: window)
    if isNear { return rules.grade(second, near: first.seconds) == .near ? .yes : .no }
    guard isPlausible(second, near: first.seconds) else { return .no }
    return isConfirmed(second, at: end, in: window, isLast: isLast, from: index)
  }

  /// Empty packets are not used to resynchronise.
  @inline(__always)
  private func isPlausible(_ header: PcapRecordHeader, near seconds: UInt32) -> Bool {
    header.captured > 0 && header.captured <= Self.maxPlausible && header.original >= header.captured
      && rules.isSound(header, near: seconds)
  }

  /// Whether the header at `index` is plausible regardless of the bytes after its packet: that was captured whole or
  /// truncated at the file's snap length, within a day of the last one. Random bytes pass once in 2^71 cases (2^61
  /// with nanoseconds): 2^-46 for two equal lengths up to 2^18, as much for the snap length and a greater one, 2^-14
  /// for the time, and 2^-12 (2^-2) for the fraction. Before the first packet the time counts little.
  ///
  /// A little-endian header that is read a byte too early has equal lengths as well, 256 times too large: then the
  /// smaller ones are right.
  private func isEvident(at index: Int, near last: UInt32?, in window: RawSpan) -> Bool {
    let found = header(at: index, in: window)
    guard seemsEvident(found, near: last) else { return false }
    guard window.byteCount &- index > headerLength else { return true }
    let shifted = header(at: index &+ 1, in: window)
    return shifted.captured >= found.captured || !seemsEvident(shifted, near: last)
  }

  /// Times of 1970 do not count: small numbers look like them.
  private func seemsEvident(_ header: PcapRecordHeader, near last: UInt32?) -> Bool {
    let isWhole = header.captured == header.original
    guard isWhole || (header.captured == file.snapLength && header.original <= Self.maxPlausible),
      header.seconds >= Self.year, isPlausible(header, near: header.seconds)
    else { return false }
    return last.map { abs(Int64(header.seconds) &- Int64($0)) <= Self.day } ?? true
  }

  /// Whether the records from `index` on lead out of an evident record without a header after it. They do if bytes of
  /// it were lost; those of a capture inside its packet end with it.
  private func leadsOut(
    from index: Int, beyond end: Int, near seconds: UInt32, in window: RawSpan, isLast: Bool
  ) -> RecordPlausibility {
    var (next, last, time) = (index, index, seconds)
    while next < end {
      guard window.byteCount &- next >= headerLength else {
        return isLast ? .noneBefore(last &+ 1) : .needs(next &+ headerLength &- index)
      }
      let header = header(at: next, in: window)
      guard isPlausible(header, near: time) else { return .noneBefore(last &+ 1) }
      (last, time) = (next, header.seconds)
      next = next &+ headerLength &+ header.length
    }
    guard next &+ headerLength <= window.byteCount else {
      if !isLast { return .needs(next &+ headerLength &- index) }
      return next <= window.byteCount ? .yes : .noneBefore(last &+ 1)
    }
    return rules.isSound(header(at: next, in: window), near: time) ? .yes : .noneBefore(last &+ 1)
  }

  private func isConfirmed(
    _ second: PcapRecordHeader, at index: Int, in window: RawSpan, isLast: Bool, from first: Int
  ) -> RecordPlausibility {
    let end = index &+ headerLength &+ second.length
    guard end &+ headerLength <= window.byteCount else {
      if !isLast { return .needs(end &+ headerLength &- first) }
      return end == window.byteCount ? .yes : .no
    }
    return isPlausible(header(at: end, in: window), near: second.seconds) ? .yes : .no
  }
}
