import Basics
import ReaderModels

/// How a reader's process ended.
enum ReaderEnd: Equatable {
  case exit(Int32)
  case signal(Int32)
  case timeout
  /// It was terminated because it printed too much.
  case flood

  /// - Parameter status: as from waitpid(2).
  init(status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
  }
}

/// Runs a reader on one stream: feeds it, collects its output, and terminates it in every case. One thread and one
/// loop, which never blocks on a reader that does not read, print or exit.
struct ReaderSession {
  private let process: SpawnedProcess
  private let limits: ReaderLimits
  private let output: OwnedDescriptor
  private let errors: OwnedDescriptor
  private var feeder: ChunkFeeder?
  private let served: RunningServer?
  private var clock: ReaderClock
  /// Of the children, after the end of the process.
  private var childClock: ReaderClock?
  /// How long children may do nothing, in seconds.
  private static let childSeconds = 1.0
  /// Of the server, at the last look.
  private var progress = 0
  private var printed = 0
  /// The last bytes of its standard error, and the most of them.
  private var errorTail: [UInt8] = []
  private static let keptErrors = 2048
  /// Pauses between two polls, in microseconds. They get longer: a fast reader is served at once, and a
  /// slow one costs little.
  private static let (shortestPause, longestPause): (useconds_t, useconds_t) = (20, 2000)
  private var block = [UInt8](repeating: 0, count: 64 << 10)

  /// - Parameters:
  ///   - stream: its standard input; nil if it is empty.
  ///   - served: the server that it connects to, if any.
  init(
    _ command: ReaderCommand, limits: ReaderLimits, stream: (bytes: [UInt8], chunking: Chunking)?,
    served: RunningServer? = nil
  ) throws {
    let (outputReading, outputWriting) = try OwnedDescriptor.pipe()
    let (errorReading, errorWriting) = try OwnedDescriptor.pipe()
    let input: OwnedDescriptor
    if let stream {
      let (reading, writing) = try OwnedDescriptor.pipe()
      input = reading
      feeder = ChunkFeeder(stream.bytes, cut: stream.chunking, into: writing)
    } else {
      input = try OwnedDescriptor.nothing()
    }
    process = try command.start(
      descriptors: [input.number, outputWriting.number, errorWriting.number],
      environment: served?.environment ?? [])
    // From here on only the reader has them open, so we notice when it closes them.
    input.close()
    outputWriting.close()
    errorWriting.close()
    outputReading.stopWaiting()
    errorReading.stopWaiting()
    output = outputReading
    errors = errorReading
    (self.limits, self.served) = (limits, served)
    clock = ReaderClock(seconds: limits.seconds)
  }

  /// The offset at which the reader closed its input early; nil if it did not.
  var refusedAt: Int? { feeder?.refusedAt }

  /// The last few lines of its standard error.
  var lastErrors: [String] {
    String(decoding: errorTail, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(8).map { String($0) }
  }

  /// Runs the reader until it has ended.
  /// - Parameter take: receives its output.
  mutating func run(_ take: (ArraySlice<UInt8>) -> Void) -> ReaderEnd {
    defer { _ = process.finish() }
    var pause = Self.shortestPause
    while true {
      let hasEnded = process.hasEnded
      let hasRead = hasRead()
      let hasMoved = [hasRead, takeErrors(), takeOutput(take)].contains(true)
      if printed > limits.output { return .flood }
      if hasEnded, hasFinished(hasMoved: hasMoved) { return ReaderEnd(status: process.finish()) }
      if clock.isOver(hasRead: hasRead) { return .timeout }
      if !hasMoved { usleep(pause) }
      pause = hasMoved ? Self.shortestPause : min(2 * pause, Self.longestPause)
    }
  }

  /// Whether nothing more comes after the end of the process: its children, which may have its output, get a little time.
  private mutating func hasFinished(hasMoved: Bool) -> Bool {
    if !output.isOpen { return !hasMoved }
    var clock = childClock ?? ReaderClock(seconds: Self.childSeconds)
    defer { childClock = clock }
    return clock.isOver(hasRead: hasMoved)
  }

  /// Feeds the reader; returns whether it has read since the last call.
  private mutating func hasRead() -> Bool {
    let hasFed = feeder?.feed() ?? false
    let before = progress
    progress = served?.reader.progress ?? 0
    return hasFed || progress > before
  }

  private mutating func takeOutput(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    let count = read(output)
    printed += count
    if count > 0, printed <= limits.output { take(block[..<count]) }
    return count > 0
  }

  private mutating func takeErrors() -> Bool {
    let count = read(errors)
    errorTail = Array((errorTail + block[..<count]).suffix(Self.keptErrors))
    return count > 0
  }

  /// Reads without blocking into the block; returns the number of bytes.
  private mutating func read(_ descriptor: OwnedDescriptor) -> Int {
    guard descriptor.isOpen else { return 0 }
    let number = descriptor.number
    let count = block.withUnsafeMutableBytes { Basics.read(number, $0.baseAddress, $0.count) }
    if count == 0 { descriptor.close() }
    return max(count, 0)
  }
}
