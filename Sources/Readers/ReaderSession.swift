import Platform
import ReaderModels

/// What a reader may take.
package struct ReaderLimits: Sendable {
  /// Seconds from its start to its end.
  package var seconds: Double
  /// Bytes that it prints.
  package var output: Int

  package init(seconds: Double = 10, output: Int = 64 << 20) {
    (self.seconds, self.output) = (seconds, output)
  }
}

/// How a reader ended, as it shows from outside.
enum ReaderEnd: Equatable {
  case exit(Int32)
  case signal(Int32)
  /// It was ended, since its time was over.
  case timeout
  /// It was ended, since it printed too much.
  case flood
}

/// A reader at work on one stream: it is fed, what it prints is taken, and it is ended in every case. One thread, one
/// loop: nothing waits for a reader that does not read, print or end.
struct ReaderSession {
  private let process: ReaderProcess
  private let limits: ReaderLimits
  private let output: OwnedDescriptor
  private let errors: OwnedDescriptor
  private var feeder: ChunkFeeder?
  private let deadline: ContinuousClock.Instant
  private var printed = 0
  private(set) var errorTail = StandardErrorTail()
  private var block = [UInt8](repeating: 0, count: 64 << 10)

  /// - Parameter stream: what it gets on standard input; nil where it gets it elsewhere.
  init(
    _ command: ReaderCommand, limits: ReaderLimits, stream: (bytes: [UInt8], chunking: Chunking)?,
    environment: [(name: String, value: String)] = []
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
    process = try ReaderProcess(
      command, descriptors: [input.number, outputWriting.number, errorWriting.number],
      environment: environment)
    // Only the reader holds them from here on: what it closes is seen.
    input.close()
    outputWriting.close()
    errorWriting.close()
    outputReading.stopWaiting()
    errorReading.stopWaiting()
    output = outputReading
    errors = errorReading
    self.limits = limits
    deadline = .now + .seconds(limits.seconds)
  }

  /// The offset from which on the reader refused its input; nil where it did not.
  var refusedAt: Int? { feeder?.refusedAt }

  /// Lets it run to its end, which it has come to when this returns.
  /// - Parameter take: gets what it prints.
  mutating func run(_ take: (ArraySlice<UInt8>) -> Void) -> ReaderEnd {
    defer { _ = process.finish() }
    var pause = Pause()
    while true {
      let hasEnded = process.hasEnded
      var hasMoved = feeder?.feed() ?? false
      hasMoved = takeErrors() || hasMoved
      hasMoved = takeOutput(take) || hasMoved
      if printed > limits.output { return .flood }
      // What a reader printed before it ended is in the pipe: nothing is lost by ending what it left behind.
      if hasEnded, !hasMoved { return process.finish() }
      if ContinuousClock.now >= deadline { return .timeout }
      if hasMoved { pause.reset() } else { pause.wait() }
    }
  }

  private mutating func takeOutput(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    let count = read(output)
    printed += count
    if count > 0, printed <= limits.output { take(block[..<count]) }
    return count > 0
  }

  private mutating func takeErrors() -> Bool {
    let count = read(errors)
    errorTail.add(block[..<count])
    return count > 0
  }

  /// Reads what is there into the block; returns how many bytes.
  private mutating func read(_ descriptor: OwnedDescriptor) -> Int {
    guard descriptor.isOpen else { return 0 }
    let number = descriptor.number
    let count = block.withUnsafeMutableBytes { Self.systemRead(number, $0) }
    if count == 0 { descriptor.close() }
    return max(count, 0)
  }

  private static func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    Platform.read(number, buffer.baseAddress, buffer.count)
  }
}

/// The end of what a reader wrote to standard error.
struct StandardErrorTail {
  /// Bytes that are kept.
  private static let kept = 2048

  private var bytes: [UInt8] = []

  mutating func add(_ more: ArraySlice<UInt8>) {
    bytes += more.suffix(Self.kept)
    if bytes.count > Self.kept { bytes.removeFirst(bytes.count - Self.kept) }
  }

  /// Its lines, the last few.
  var lines: [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(8).map { String($0) }
  }
}

/// Waits between two looks, longer each time: a reader that answers at once is fed at once, and one that thinks
/// costs nothing.
private struct Pause {
  private static let shortest = 20_000
  private static let longest = 2_000_000
  private var nanoseconds = shortest

  mutating func reset() { nanoseconds = Self.shortest }

  mutating func wait() {
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    _ = nanosleep(&time, nil)
    nanoseconds = min(2 * nanoseconds, Self.longest)
  }
}
