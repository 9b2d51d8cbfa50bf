import APNsWire

/// The kind of records in a direction.
package enum DirectionContent: Sendable {
  case feedback, requests, responses, http2, providerLog

  /// The noun for a record, for messages.
  var recordName: String {
    switch self {
    case .feedback: "tuple"
    case .requests: "request"
    case .responses: "error response"
    case .providerLog: "line"
    case .http2: "frame"
    }
  }
}

/// A decoder of the runs of a direction, and what its records mean.
protocol DirectionDecoder {
  associatedtype Record: Equatable & Sendable

  var content: DirectionContent { get }
  /// As in `RunDecoder`.
  var carry: [UInt8]? { get }
  var undecidedOffset: Int { get }
  var pendingSkip: Int? { get }
  mutating func next(in chunk: RawSpan) -> DecoderStep<Record>?
  mutating func finish(atGap: Bool)

  /// Emits a record, or keeps it until others decide about it.
  /// - Parameter location: the location of `bytes`; nil if it is not valid for long.
  func emit(
    _ record: Record, in bytes: RawSpan, at location: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws

  /// Decodes the next bytes of the run, and emits the results. A requirement, so that it is compiled for each decoder.
  mutating func decode(
    _ chunk: RawSpan, at location: ChunkLocation?, for analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws
}

extension DirectionDecoder {
  mutating func decode(
    _ chunk: RawSpan, at location: ChunkLocation?, for analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    while let step = next(in: chunk) {
      switch step {
      case .record(let record):
        if let carry {
          try emit(record, in: carry.span.bytes, at: nil, by: analysis, of: &direction)
        } else {
          try emit(record, in: chunk, at: location, by: analysis, of: &direction)
        }
      case .between(let offset, let length): analysis.noteSeparator(offset, length, in: &direction)
      case .undecodable(let offset, let command):
        try analysis.reportUndecodable(command, at: offset, of: content, in: &direction)
      case .skipped(let offset, let length):
        try analysis.reportCutBlock(in: &direction, before: nil)
        try analysis.reportSkipped(offset, length, of: content, in: &direction)
        try analysis.losePushBytes(of: direction.side)
      case .truncated(let offset, let length):
        try analysis.reportCutBlock(in: &direction, before: nil)
        try analysis.reportTruncated(offset, length, of: content, in: &direction)
        try analysis.losePushBytes(of: direction.side)
      }
    }
    direction.forget(before: undecidedOffset, skippedFrom: pendingSkip)
    try analysis.emitPending(before: coveredOffset, of: &direction)
  }

  /// Offset up to which steps have covered the bytes: that of the first undecided or skipped byte.
  var coveredOffset: Int { pendingSkip ?? undecidedOffset }
}

/// A decoder of any kind, which changes in place.
protocol BoxedDecoder: AnyObject {
  associatedtype Decoder: DirectionDecoder
  var value: Decoder { get set }
}

extension BoxedDecoder {
  var content: DirectionContent { value.content }
  var coveredOffset: Int { value.coveredOffset }
  func finish(atGap: Bool) { value.finish(atGap: atGap) }

  func decode(
    _ chunk: RawSpan, at location: ChunkLocation?, for analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws { try value.decode(chunk, at: location, for: analysis, of: &direction) }
}

extension Box: BoxedDecoder where Value: DirectionDecoder {}

/// A value on the heap: for payloads of enums that change in place, and for rarely used properties.
final class Box<Value> {
  @exclusivity(unchecked) var value: Value

  init(_ value: Value) { self.value = value }
}
