import APNsWire
import WireBytes

/// What a direction carries.
package enum DirectionContent: Sendable {
  case feedback, requests, responses

  /// What the direction consists of, as messages call one.
  var recordName: String {
    switch self {
    case .feedback: "tuple"
    case .requests: "request"
    case .responses: "error response"
    }
  }
}

/// Decodes the runs of a direction, one after another, whatever it carries.
///
/// The decoders are in boxes: changing the payload of an enum in place copies it, and they are large.
enum RunDecoder {
  case feedback(Box<FeedbackDecoder>)
  case requests(Box<RequestDecoder>)
  case responses(Box<ResponseDecoder>)

  /// What a decoder has next.
  enum Step {
    case records(RecordRun)
    case request(RequestFrame)
    case response(ResponseFrame)
    /// No record can be at `offset`, which holds `command`.
    case undecodable(offset: Int, command: UInt8)
    case skipped(offset: Int, length: Int)
    case truncated(offset: Int, length: Int)
    /// The chunk is used up, or the run has ended and all of it has been said.
    case needsBytes
  }

  /// - Parameters:
  ///   - offset: where the run begins in its direction.
  ///   - beginsStream: whether that is where the stream begins.
  init(_ content: DirectionContent, by options: AnalysisOptions, offset: Int, beginsStream: Bool) {
    switch content {
    case .feedback:
      self = .feedback(
        Box(FeedbackDecoder(rules: options.rules, offset: offset, beginsStream: beginsStream)))
    case .requests:
      self = .requests(
        Box(RequestDecoder(rules: options.requestRules, offset: offset, beginsStream: beginsStream)))
    case .responses: self = .responses(Box(ResponseDecoder(offset: offset, beginsStream: beginsStream)))
    }
  }

  var content: DirectionContent {
    switch self {
    case .feedback: .feedback
    case .requests: .requests
    case .responses: .responses
    }
  }

  /// The next step in `chunk`: ask until it needs bytes.
  func next(in chunk: RawSpan) -> Step {
    switch self {
    case .feedback(let decoder):
      switch decoder.value.next(in: chunk) {
      case .records(let run): .records(run)
      case .skipped(let offset, let length): .skipped(offset: offset, length: length)
      case .truncated(let offset, let length): .truncated(offset: offset, length: length)
      case .needsBytes, .finished: .needsBytes
      }
    case .requests(let decoder):
      switch decoder.value.next(in: chunk) {
      case .request(let frame): .request(frame)
      case .undecodable(let offset, let command): .undecodable(offset: offset, command: command)
      case .skipped(let offset, let length): .skipped(offset: offset, length: length)
      case .truncated(let offset, let length): .truncated(offset: offset, length: length)
      case .needsBytes, .finished: .needsBytes
      }
    case .responses(let decoder):
      switch decoder.value.next(in: chunk) {
      case .response(let frame): .response(frame)
      case .undecodable(let offset, let command): .undecodable(offset: offset, command: command)
      case .skipped(let offset, let length): .skipped(offset: offset, length: length)
      case .truncated(let offset, let length): .truncated(offset: offset, length: length)
      case .needsBytes, .finished: .needsBytes
      }
    }
  }

  /// The run has no further bytes: what is left of it comes next.
  func finishRun() {
    switch self {
    case .feedback(let decoder): decoder.value.finish()
    case .requests(let decoder): decoder.value.finish()
    case .responses(let decoder): decoder.value.finish()
    }
  }

  /// Bytes of earlier chunks that records of the last step are in.
  var carry: [UInt8] {
    switch self {
    case .feedback(let decoder): decoder.value.carry
    case .requests(let decoder): decoder.value.carry
    case .responses: []
    }
  }

  var undecidedOffset: Int {
    switch self {
    case .feedback(let decoder): decoder.value.undecidedOffset
    case .requests(let decoder): decoder.value.undecidedOffset
    case .responses(let decoder): decoder.value.undecidedOffset
    }
  }

  /// Offset from which on bytes are being skipped; nil where none are.
  var pendingSkip: Int? {
    switch self {
    case .feedback(let decoder): decoder.value.pendingSkip
    case .requests(let decoder): decoder.value.pendingSkip
    case .responses(let decoder): decoder.value.pendingSkip
    }
  }

  /// Offset up to which all has been said; where bytes are being skipped, that of the first of them.
  var coveredOffset: Int { pendingSkip ?? undecidedOffset }
}

/// A value that is changed in place, for enums and for what is rarely there.
final class Box<Value> {
  @exclusivity(unchecked) var value: Value

  init(_ value: Value) { self.value = value }
}
