import Basics
import PacketCapture

/// Threads that read the next inputs, each with a reader of its own, while the caller consumes the events of one input
/// after another. Each thread has a queue of events, and waits while that is full.
///
/// Small inputs are passed in groups.
package final class ReadAhead {
  package struct Plan: Sendable {
    package var reading: ReadingOptions
    package var contentProbes: [FormatProbe]
    /// The digests to compute of an input, in addition to those of the options.
    package var digests: @Sendable (Input) -> DigestKinds = { _ in [] }
    /// Files with these hashes are not read, and these digests are computed of all files to find them.
    package var known: KnownHashes?
    package var knownDigests: DigestKinds = []

    package init(_ reading: ReadingOptions, contentProbes: [FormatProbe]) {
      (self.reading, self.contentProbes) = (reading, contentProbes)
    }
  }

  /// What a thread found out about an input.
  package enum Opening {
    /// It is known, and was not read.
    case known(HashedFile)
    /// It is not known, and the caller has to read it: an archive.
    case left
    /// It is read: `read` passes on its events.
    case isRead
  }

  fileprivate enum LaneEvent {
    case events(EventBatch)
    /// The number of bytes read of the file.
    case progress(Int)
    case opening(Opening)
    case ended(InputReport)
  }

  /// A group of inputs has this many bytes or inputs, or is one larger input.
  private static let groupLength = 256 << 10
  private static let mostInGroup = 64

  /// Limit of the queue of a lane, in bytes.
  private static let queueLimit = 32 << 20

  private let isAhead: [Bool]
  private let groups: [Range<Int>]
  private let lanes: Lanes<LaneEvent>
  private var group = -1
  private var lane: Lanes<LaneEvent>.Lane?
  /// The steps that come next, the last one first.
  private var steps: [LaneEvent] = []
  private var used: [LaneEvent] = []

  /// - Parameters:
  ///   - inputs: all inputs, in the order of `open`. Those without a size are left to the caller.
  ///   - count: the maximum number of threads.
  ///   - memory: limit of all queues, in bytes, but for one batch of each.
  package init(_ inputs: [(input: Input, size: Int?)], _ plan: Plan, lanes count: Int, memory: Int) throws {
    let files = inputs.map { $0.size == nil ? nil : $0.input }
    let groups = Self.groups(inputs.map(\.size))
    isAhead = files.map { $0 != nil }
    self.groups = groups
    let count = max(1, min(count, groups.count))
    lanes = try Lanes(jobs: groups.count, lanes: count, limit: min(memory / count, Self.queueLimit)) {
      lane, next in
      // Once the lane is stopped, its events are not needed any more.
      try? Self.readGroups(by: plan, to: lane) { next().map { files[groups[$0]] } }
    }
  }

  private static func groups(_ sizes: [Int?]) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var (start, bytes) = (0, 0)
    for (index, size) in sizes.enumerated() {
      if index > start, size ?? 0 > groupLength &- bytes || index - start == mostInGroup {
        groups.append(start..<index)
        (start, bytes) = (index, 0)
      }
      bytes = bytes &+ (size ?? 0)
    }
    if start < sizes.count { groups.append(start..<sizes.count) }
    return groups
  }

  /// Waits for an input; nil if no thread reads it. Inputs are opened in order, and each is read before the next.
  package func open(_ index: Int) throws -> Opening? {
    guard isAhead[index] else { return nil }
    while group < 0 || groups[group].upperBound <= index {
      group += 1
      lane = lanes.lane(of: group)
    }
    guard lane != nil else { return nil }
    let first = try next()
    if case .opening(let opening) = first { return opening }
    steps.append(first)
    return .isRead
  }

  /// Passes on the events of the opened input.
  package func read(consume: InputReader.Consumer, progress: (_ done: Int) -> Void) throws -> InputReport {
    while true {
      switch try next() {
      case .events(var batch):
        try consume(&batch)
        batch.removeAll()
        if used.count < Self.mostInGroup { used.append(.events(batch)) }
      case .progress(let bytes): progress(bytes)
      case .ended(let report): return report
      case .opening: break
      }
    }
  }

  private func next() throws -> LaneEvent {
    while true {
      if let step = steps.popLast() { return step }
      guard let more = lane?.next(returning: used) else { throw CancellationError() }
      used.removeAll(keepingCapacity: true)
      steps = more.reversed()
    }
  }

  package func stop() { lanes.stop() }

  private static func readGroups(
    by plan: Plan, to lane: Lanes<LaneEvent>.Lane, next: () -> ArraySlice<Input?>?
  ) throws {
    let parcel = Parcel(lane)
    var reader = try InputReader(options: plan.reading, contentProbes: plan.contentProbes, isAhead: true) {
      try parcel.add(&$0)
    }
    while let group = next() {
      for case let input? in group { try read(input, by: plan, with: &reader, to: parcel) }
      try parcel.send()
    }
  }

  private static func read(
    _ input: Input, by plan: Plan, with reader: inout InputReader, to parcel: Parcel
  ) throws {
    parcel.reported = 0
    if let known = plan.known,
      let file = try FileDigests.of(
        input, plan.knownDigests, progress: { try parcel.check($0, reports: false) }),
      known.contains(file.digests)
    {
      return try parcel.add(.opening(.known(file)))
    }
    let report = try reader.read(
      input, digests: plan.digests(input), progress: { try parcel.check($0, reports: true) })
    try parcel.add(report.archiveFormat == nil ? .ended(report) : .opening(.left))
  }
}

/// Steps that are not in the queue yet: they are collected until it is worth passing them on.
private final class Parcel {
  /// Cost at which it is sent, in bytes, and the cost of a step besides its bytes.
  private static let fullCost = 256 << 10
  private static let stepCost = 1 << 10
  /// Bytes read between two reports of progress.
  private static let progressStep = 4 << 20

  private let lane: Lanes<ReadAhead.LaneEvent>.Lane
  private var steps: [ReadAhead.LaneEvent] = []
  private var cost = 0
  private var used: [ReadAhead.LaneEvent] = []
  /// Of the current input.
  var reported = 0

  init(_ lane: Lanes<ReadAhead.LaneEvent>.Lane) { self.lane = lane }

  /// Takes the events of a batch, and leaves an empty batch.
  func add(_ batch: inout EventBatch) throws {
    var full = EventBatch()
    if case .events(let empty)? = used.popLast() { full = empty }
    swap(&full, &batch)
    let bytes = full.byteCount
    try add(.events(full), bytes)
  }

  func add(_ step: ReadAhead.LaneEvent, _ bytes: Int = 0) throws {
    steps.append(step)
    cost += bytes + Self.stepCost
    if cost >= Self.fullCost { try send() }
  }

  /// Throws after the lane was stopped.
  /// - Parameter reports: whether the consumer gets the number of bytes read.
  func check(_ bytes: Int, reports: Bool) throws {
    guard bytes >= reported + Self.progressStep else { return }
    reported = bytes
    try lane.check()
    guard reports else { return }
    try add(.progress(bytes))
    try send()
  }

  func send() throws {
    if steps.isEmpty { return }
    var full: [ReadAhead.LaneEvent] = []
    swap(&full, &steps)
    let sent = cost
    cost = 0
    used += try lane.add(full, cost: sent)
  }
}
