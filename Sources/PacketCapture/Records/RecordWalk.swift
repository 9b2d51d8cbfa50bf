import WireBytes

/// Goes from record to record of a capture file, and after damage to the next one that is believed.
///
/// - A record that what stands after it bears out is read at once.
/// - If that does not fit, either the record lies about its length, or the damage begins after it. So it is
///   searched for another record: if one is found, only what stands before that is lost. Else it is read if
///   the format can vouch for it.
/// - Where no record can begin, the first index is searched for at which a record plausibly begins.
///
/// Each byte is searched once, and none is kept that was searched in vain, so damage of any length takes
/// linear time and no memory.
struct RecordWalk<Format: RecordFormat> {
  private enum State {
    case heading
    /// At a record. Up to `searched` (file offset) it is known that no other begins in it.
    case reading(searched: Int)
    /// In damage that began at `damage.start`; all before the index has been searched.
    case searching
    /// A record was read in spite of a flaw, which is to be told.
    case telling
    case ended
  }

  private struct Damage {
    /// Offsets in the file.
    var start = 0
    var end = 0
    /// Next to which packet it is, in words.
    var location = ""
    var cause = ""
  }

  private enum Search {
    case found(Int)
    /// It takes so many bytes from `at` on to go on there.
    case needs(at: Int, Int)
    case none
  }

  private(set) var format: Format
  private var state: State = .heading
  private var damage = Damage()

  init(_ format: Format) {
    self.format = format
  }

  mutating func next(
    in window: RawSpan, from index: Int, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step {
    switch state {
    case .heading:
      return readHead(in: window, from: index, windowOffset: windowOffset, isLast: isLast)
    case .reading(let searched):
      return format.readStrict(at: index, in: window, windowOffset: windowOffset, isLast: isLast)
        ?? readUnsound(
          in: window, from: index, windowOffset: windowOffset, isLast: isLast, searched: searched)
    case .searching:
      return search(in: window, from: index, handedBack: index, windowOffset: windowOffset, isLast: isLast)
    case .telling:
      state = .reading(searched: 0)
      return .damaged(anomaly(goesOn: nil), end: index)
    case .ended:
      return .finished
    }
  }

  private mutating func readHead(
    in window: RawSpan, from index: Int, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step {
    let step = format.readHead(at: index, in: window, windowOffset: windowOffset, isLast: isLast)
    switch step {
    case .needsBytes: break
    case .unreadable: state = .ended
    default: state = .reading(searched: 0)
    }
    return step ?? next(in: window, from: index, windowOffset: windowOffset, isLast: isLast)
  }

  @inline(never)
  private mutating func readUnsound(
    in window: RawSpan, from index: Int, windowOffset: Int, isLast: Bool, searched: Int
  ) -> CaptureRecords.Step {
    switch format.assess(at: index, in: window, isLast: isLast) {
    case .needs(let count):
      return .needsBytes(count)
    case .ended:
      state = .ended
      return .finished
    case .broken:
      skip(at: index, in: window, windowOffset: windowOffset)
      return search(
        in: window, from: index + 1, handedBack: index, windowOffset: windowOffset, isLast: isLast)
    case .doubtful(let end, let isReadable, let flaw):
      let begin = max(index + 1, searched - windowOffset)
      switch firstBelieved(in: window, from: begin, to: end, doubted: index, isLast: isLast) {
      case .found(let other):
        skip(at: index, in: window, windowOffset: windowOffset)
        return resume(at: other, in: window, windowOffset: windowOffset)
      case .needs(let other, let count):
        state = .reading(searched: other + windowOffset)
        return .needsBytes(other - index + count)
      case .none:
        break
      }
      if isReadable {
        return readDoubtful(at: index, to: end, flaw: flaw, in: window, windowOffset: windowOffset)
      }
      skip(at: index, in: window, windowOffset: windowOffset)
      return search(in: window, from: end, handedBack: index, windowOffset: windowOffset, isLast: isLast)
    }
  }

  private mutating func readDoubtful(
    at index: Int, to end: Int, flaw: Range<Int>?, in window: RawSpan, windowOffset: Int
  ) -> CaptureRecords.Step {
    state = .reading(searched: 0)
    let isCut = flaw?.lowerBound == index
    let words = flaw == nil ? "" : format.flaw(at: index, in: window)
    var beside = besideLastPacket
    let step = format.read(at: index, to: end, isCut: isCut, in: window, windowOffset: windowOffset)
    if case .damaged = step { return step }
    guard let flaw else { return step }
    // The packet that was read in spite of its flaw has a number now.
    if case .packet(let packet, _) = step { beside = "in packet \(packet.number)" }
    damage = Damage(
      start: flaw.lowerBound + windowOffset, end: flaw.upperBound + windowOffset, location: beside,
      cause: words)
    state = .telling
    return step
  }

  private mutating func skip(at index: Int, in window: RawSpan, windowOffset: Int) {
    damage = Damage(
      start: index + windowOffset, end: index + windowOffset, location: besideLastPacket,
      cause: format.flaw(at: index, in: window))
    format.skip(at: index, in: window)
  }

  private mutating func resume(at index: Int, in window: RawSpan, windowOffset: Int) -> CaptureRecords.Step {
    state = .reading(searched: 0)
    damage.end = index + windowOffset
    format.resume(at: index, in: window)
    return .damaged(anomaly(goesOn: true), end: index)
  }

  /// - Parameter handedBack: the index that the caller stands at; what lies between it and `start` has been
  ///   searched before.
  private mutating func search(
    in window: RawSpan, from start: Int, handedBack: Int, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step {
    state = .searching
    switch firstBelieved(in: window, from: start, to: window.byteCount, doubted: nil, isLast: isLast) {
    case .found(let index):
      return resume(at: index, in: window, windowOffset: windowOffset)
    case .needs(let index, let count):
      return index > handedBack ? .passedOver(end: index) : .needsBytes(count)
    case .none where isLast:
      state = .reading(searched: 0)
      damage.end = window.byteCount + windowOffset
      return .damaged(anomaly(goesOn: false), end: window.byteCount)
    case .none:
      let end = window.byteCount
      return end > handedBack ? .passedOver(end: end) : .needsBytes(1)
    }
  }

  private func firstBelieved(
    in window: RawSpan, from start: Int, to end: Int, doubted: Int?, isLast: Bool
  ) -> Search {
    var index = start
    while index < end {
      switch format.plausibility(at: index, doubted: doubted, in: window, isLast: isLast) {
      case .yes: return .found(index)
      case .no: index &+= 1
      case .noneBefore(let next): index = max(index &+ 1, next)
      case .needs(let count): return .needs(at: index, count)
      }
    }
    return .none
  }

  private var besideLastPacket: String {
    format.packets == 0 ? "before the first packet" : "behind packet \(format.packets)"
  }

  private func anomaly(goesOn: Bool?) -> StreamAnomaly {
    let outcome =
      switch goesOn {
      case true?: "; passed over up to the next \(Format.unit) that can be believed"
      case false?: "; no \(Format.unit) that can be believed follows"
      case nil: ""
      }
    return StreamAnomaly(
      .damagedCapture, length: damage.end - damage.start, fileOffset: damage.start,
      message: "\(damage.location): \(damage.cause)\(outcome)")
  }
}

/// What is at an index where a record must begin and no sound one does. Indices are of the window.
enum RecordAssessment {
  /// A record up to `end` if no other begins in it. `isReadable`: then it is read all the same; `flaw` are
  /// those of its bytes that are wrong or missing, to be told after it.
  case doubtful(end: Int, isReadable: Bool, flaw: Range<Int>?)
  /// No record can begin so.
  case broken
  /// As many bytes from the index on decide.
  case needs(Int)
  /// The file ends here.
  case ended
}

/// Whether a record plausibly begins at an index that nothing points to.
enum RecordPlausibility {
  case yes, no
  /// Not here, nor before that index of the window.
  case noneBefore(Int)
  /// As many bytes from the index on decide.
  case needs(Int)
}

/// One format of capture files, without what is common to them: how to go on after damage (`RecordWalk`).
protocol RecordFormat {
  /// How many packets have been read.
  var packets: Int { get }
  /// What the format calls its records.
  static var unit: String { get }

  /// Reads what stands before the first record; nil where that is nothing.
  mutating func readHead(
    at index: Int, in window: RawSpan, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step?

  /// Reads the record at `index` if all of it is as it should be and what stands after it bears it out: the one
  /// step for nearly all records. Nil, and nothing has changed, where that is not so or the window is too short
  /// to tell; `assess` says which.
  mutating func readStrict(
    at index: Int, in window: RawSpan, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step?

  func assess(at index: Int, in window: RawSpan, isLast: Bool) -> RecordAssessment

  /// Reads a record that was assessed to end at `end`; `isCut` if the file ends there, and the record would not.
  mutating func read(
    at index: Int, to end: Int, isCut: Bool, in window: RawSpan, windowOffset: Int
  ) -> CaptureRecords.Step

  /// Must answer `no` for nearly all bytes that are no record, and take the same time everywhere but for what
  /// `noneBefore` saves.
  /// - Parameter doubted: the index of the doubtful record that is searched for another record.
  func plausibility(at index: Int, doubted: Int?, in window: RawSpan, isLast: Bool) -> RecordPlausibility

  /// Why what is at `index` was not read, in words.
  func flaw(at index: Int, in window: RawSpan) -> String

  /// What is at `index` will not be read.
  mutating func skip(at index: Int, in window: RawSpan)

  /// Reading resumes at `index`, where a record is plausible.
  mutating func resume(at index: Int, in window: RawSpan)
}
