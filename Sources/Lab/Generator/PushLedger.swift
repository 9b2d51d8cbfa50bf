/// The pushes of a connection whose truth is not written yet: some of their frames are not settled.
struct PushLedger {
  struct SentPush {
    enum Ending { case response, reset, excluded, unanswered }

    let push: GeneratedPush
    let stream: UInt32
    /// Nil while the push is open.
    var ending: Ending?
    /// The number of frame ranges that are not settled.
    var unsettled = 1
    /// Offsets in the sent bytes, and locations.
    var request: (offset: Int, location: CapturedLocation?) = (0, nil)
    var response: (offset: Int, location: CapturedLocation?)?
    var hasGap = false
    var isAfterGap = false
  }

  private let isSpared: Bool
  private var entries: [UInt32: SentPush] = [:]
  private var finished: [UInt32] = []
  private(set) var count = 0

  init(isSpared: Bool) { self.isSpared = isSpared }

  /// Notes an event of a turn.
  /// - Parameter start: offset of the turn in the sent bytes of its side.
  mutating func note(_ event: PushConversation.Event, at start: Int) -> PushSide.Frames {
    let frames = start + event.frames.lowerBound..<start + event.frames.upperBound
    if let push = event.push {
      entries[event.stream] = SentPush(push: push, stream: event.stream, request: (frames.lowerBound, nil))
    }
    if let ending = event.ending {
      if ending == .response { entries[event.stream]?.response = (frames.lowerBound, nil) }
      entries[event.stream]?.ending = ending
      entries[event.stream]?.unsettled += 1
    }
    return PushSide.Frames(stream: event.stream, range: frames)
  }

  mutating func settle(_ frames: PushSide.Frames, isFromServer: Bool) {
    guard var entry = entries[frames.stream] else { return }
    entry.unsettled -= 1
    entry.hasGap = entry.hasGap || frames.hasGap
    entry.isAfterGap = entry.isAfterGap || frames.isAfterGap
    if isFromServer, entry.response?.offset == frames.range.lowerBound {
      entry.response?.location = frames.location
    } else if !isFromServer, entry.request.offset == frames.range.lowerBound {
      entry.request.location = frames.location
    }
    entries[frames.stream] = entry
    if entry.unsettled == 0, entry.ending != nil { finished.append(frames.stream) }
  }

  /// Writes the pushes whose frames are settled.
  /// - Parameter bases: the offset in the sent bytes at which the stream of each side begins.
  mutating func write(
    of stream: TruthWriter.Stream, bases: BothSides<Int>, to truth: inout TruthWriter
  ) throws {
    for id in finished {
      guard var entry = entries.removeValue(forKey: id) else { continue }
      entry.request.offset -= bases.client
      entry.response?.offset -= bases.server
      count += 1
      let expectation: Expectation = entry.hasGap ? .damaged : entry.isAfterGap || !isSpared ? .near : .whole
      try truth.push(expectation, entry, of: stream)
    }
    finished.removeAll(keepingCapacity: true)
  }
}
