import Basics

/// Reads the records of a capture file, and resynchronises after damage.
///
/// - A record that is confirmed by the bytes after it is read at once.
/// - Otherwise its length is wrong, or the damage begins after it. It is searched for another record: if there is
///   one, only the bytes before that are lost. If not, the record is read if the format accepts it.
/// - Where no record can begin, the first plausible record is searched for.
///
/// Each byte is searched once and then discarded, so damage of any length takes linear time and no memory.
struct RecordReader<Format: RecordFormat> {
  private enum Position {
    case heading
    /// At a record. No other record begins in it before `searched` (file offset).
    case reading(searched: Int)
    /// In damage that began at `damage.start`; everything before the index has been searched.
    case searching
    /// A damaged record was read; the damage is reported next.
    case reportingDamage
    case ended
  }

  private struct Damage {
    /// Offsets in the file.
    var start = 0
    var end = 0
    /// The last packet before it, from 1, or the one that it is in; 0 if there is none.
    var packet = 0
    var isInPacket = false
    var cause = Message.verbatim("")
  }

  private enum Search {
    case found(Int)
    /// Needs this number of bytes from `at` on to continue there.
    case needs(at: Int, Int)
    case none
  }

  private(set) var format: Format
  private var state: Position = .heading
  private var damage = Damage()

  init(_ format: Format) { self.format = format }

  @inline(always)
  mutating func next(in window: RawSpan, from index: Int, _ location: WindowLocation) -> NextRecord {
    switch state {
    case .heading:
      return readHead(in: window, from: index, location)
    case .reading(let searched):
      return format.readStrict(at: index, in: window, location)
        ?? readSuspect(in: window, from: index, location, searched: searched)
    case .searching:
      return search(in: window, from: index, callerIndex: index, location)
    case .reportingDamage:
      state = .reading(searched: 0)
      return .damaged(finding(resumes: nil), end: index)
    case .ended:
      return .finished
    }
  }

  private mutating func readHead(in window: RawSpan, from index: Int, _ location: WindowLocation)
    -> NextRecord
  {
    let step = format.readHead(at: index, in: window, location)
    switch step {
    case .needsBytes: break
    case .unreadable: state = .ended
    case .packet, .skipped, .damaged, .finished, nil: state = .reading(searched: 0)
    }
    return step ?? next(in: window, from: index, location)
  }

  @inline(never)
  private mutating func readSuspect(
    in window: RawSpan, from index: Int, _ location: WindowLocation, searched: Int
  ) -> NextRecord {
    if let step = format.restart(at: index, in: window, location) { return step }
    switch format.assess(at: index, in: window, isLast: location.isLast) {
    case .needs(let count):
      return .needsBytes(count)
    case .ended:
      state = .ended
      return .finished
    case .broken:
      skip(at: index, in: window, location)
      return search(in: window, from: index + 1, callerIndex: index, location)
    case .suspect(let end, let isReadable, let damage):
      let begin = max(index + 1, searched - location.offset)
      switch firstPlausible(in: window, from: begin, to: end, suspect: index, isLast: location.isLast) {
      case .found(let other):
        skip(at: index, in: window, location)
        return resume(at: other, in: window, location)
      case .needs(let other, let count):
        state = .reading(searched: other + location.offset)
        return .needsBytes(other - index + count)
      case .none:
        break
      }
      if isReadable { return readDamaged(at: index, to: end, damage: damage, in: window, location) }
      skip(at: index, in: window, location)
      return search(in: window, from: end, callerIndex: index, location)
    }
  }

  private mutating func readDamaged(
    at index: Int, to end: Int, damage range: Range<Int>?, in window: RawSpan, _ location: WindowLocation
  ) -> NextRecord {
    state = .reading(searched: 0)
    let isCut = range?.lowerBound == index
    let cause = range == nil ? nil : format.reason(at: index, in: window)
    let packets = format.packets
    let step = format.read(at: index, to: end, isCut: isCut, in: window, location)
    if case .damaged = step { return step }
    guard let range, let cause else { return step }
    damage = Damage(
      start: range.lowerBound + location.offset, end: range.upperBound + location.offset, packet: packets,
      cause: cause)
    // The damaged packet has a number now.
    if case .packet(let packet, _) = step { (damage.packet, damage.isInPacket) = (packet.number, true) }
    state = .reportingDamage
    return step
  }

  private mutating func skip(at index: Int, in window: RawSpan, _ location: WindowLocation) {
    damage = Damage(
      start: index + location.offset, end: index + location.offset, packet: format.packets,
      cause: format.reason(at: index, in: window))
    format.skip(at: index, in: window)
  }

  private mutating func resume(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord {
    state = .reading(searched: 0)
    damage.end = index + location.offset
    format.resume(at: index, in: window)
    return .damaged(finding(resumes: true), end: index)
  }

  /// - Parameter callerIndex: the caller's index; the bytes between it and `start` have been searched before.
  @inline(never)
  private mutating func search(
    in window: RawSpan, from start: Int, callerIndex: Int, _ location: WindowLocation
  ) -> NextRecord {
    state = .searching
    switch firstPlausible(
      in: window, from: start, to: window.byteCount, suspect: nil, isLast: location.isLast)
    {
    case .found(let index):
      return resume(at: index, in: window, location)
    case .needs(let index, let count):
      return index > callerIndex ? .skipped(end: index) : .needsBytes(count)
    case .none where location.isLast:
      state = .reading(searched: 0)
      damage.end = window.byteCount + location.offset
      return .damaged(finding(resumes: false), end: window.byteCount)
    case .none:
      let end = window.byteCount
      return end > callerIndex ? .skipped(end: end) : .needsBytes(1)
    }
  }

  private func firstPlausible(
    in window: RawSpan, from start: Int, to end: Int, suspect: Int?, isLast: Bool
  ) -> Search {
    var index = start
    while index < end {
      switch format.plausibility(at: index, suspect: suspect, in: window, isLast: isLast) {
      case .yes: return .found(index)
      case .no: index &+= 1
      case .noneBefore(let next): index = max(index &+ 1, next)
      case .needs(let count): return .needs(at: index, count)
      }
    }
    return .none
  }

  private func finding(resumes: Bool?) -> StreamFinding {
    let cause: Message =
      switch resumes {
      case true?: "\(damage.cause); skipped to the next plausible \(Format.unit)"
      case false?: "\(damage.cause); no plausible \(Format.unit) follows"
      case nil: damage.cause
      }
    return StreamFinding(
      .damagedCapture, length: damage.end - damage.start, fileOffset: damage.start,
      message: damage.isInPacket
        ? "in packet \(damage.packet): \(cause)" : .damage(cause, afterPacket: damage.packet))
  }
}

/// Where a window is in the file.
struct WindowLocation: BitwiseCopyable {
  /// Offset in the file of its first byte.
  var offset: Int
  /// Whether the file ends with it.
  var isLast: Bool
}

/// Position of the bytes where a record must begin but none is valid. Indices are of the window.
enum RecordAssessment {
  /// A record up to `end` if no other begins in it. `isReadable`: it is read nevertheless; `damage` is the range of
  /// its wrong or missing bytes, to be reported after it.
  case suspect(end: Int, isReadable: Bool, damage: Range<Int>?)
  case broken
  /// Needs this number of bytes from the index on.
  case needs(Int)
  /// The file ends here.
  case ended
}

/// Whether a record plausibly begins at an arbitrary index.
enum RecordPlausibility {
  case yes, no
  /// Neither here nor before that index of the window.
  case noneBefore(Int)
  /// Needs this number of bytes from the index on.
  case needs(Int)
}

/// One format of capture files. Resynchronising is common to all (`RecordReader`).
protocol RecordFormat {
  var packets: Int { get }
  static var unit: String { get }

  /// Reads the file header before the first record; nil if the format has none.
  mutating func readHead(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord?

  /// Reads the header of another file that was appended to this one; nil, without side effects, if there is none.
  mutating func restart(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord?

  /// Reads the record at `index` if it is valid and the bytes after it confirm it: the fast path for nearly all
  /// records. Nil, without side effects, if not, or if the window is too short to decide; `assess` distinguishes the
  /// two.
  mutating func readStrict(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord?

  func assess(at index: Int, in window: RawSpan, isLast: Bool) -> RecordAssessment

  /// Reads a record that was assessed to end at `end`; `isCut` if the end of the file truncates it there.
  mutating func read(
    at index: Int, to end: Int, isCut: Bool, in window: RawSpan, _ location: WindowLocation
  ) -> NextRecord

  /// Must return `no` for nearly all bytes that are not a record, and take constant time except for what `noneBefore`
  /// saves.
  /// - Parameter suspect: the index of the suspect record that is searched for another record.
  func plausibility(at index: Int, suspect: Int?, in window: RawSpan, isLast: Bool) -> RecordPlausibility

  /// Why the bytes at `index` were not read, for a message.
  func reason(at index: Int, in window: RawSpan) -> Message

  /// The bytes at `index` are skipped.
  mutating func skip(at index: Int, in window: RawSpan)

  /// Reading resumes at `index`, at a plausible record.
  mutating func resume(at index: Int, in window: RawSpan)
}
