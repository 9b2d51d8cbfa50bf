import APNsWire
import ProviderLogs

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

/// Decodes the runs of a direction, with the decoder for its content.
///
/// The decoders are boxed: changing the payload of an enum copies it, and they are large.
enum RunDecoder {
  case feedback(Box<FeedbackDecoder>)
  case requests(Box<RequestDecoder>)
  case responses(Box<ResponseDecoder>)
  case providerLog(LogDecoder)
  case http2(Box<FrameDecoder>)

  /// The next result of a decoder.
  enum Step {
    case records(RecordRun)
    case request(RequestFrame)
    case response(ResponseFrame)
    case frame(Frame)
    /// An HTTP/2 connection begins with these bytes.
    case opening(offset: Int, length: Int, isUpgrade: Bool)
    /// No record can begin at `offset`, where the byte is `command`.
    case undecodable(offset: Int, command: UInt8)
    case between(offset: Int, length: Int)
    case skipped(offset: Int, length: Int)
    case truncated(offset: Int, length: Int)
    /// A push in a log; `length` includes bytes around it, such as brackets.
    case logged(LogDecoder, offset: Int, length: Int)
    case passed(length: Int)
    case skippedLines(LogDecoder, LogSkip)
    /// The chunk is used up, or all steps of an ended run were returned.
    case needsBytes
  }

  /// - Parameters:
  ///   - sender: the sender of the direction.
  ///   - offset: offset of the run in its direction.
  ///   - beginsStream: whether the run is the beginning of the stream.
  init(
    _ content: DirectionContent, from sender: Direction, by options: AnalysisOptions, offset: Int,
    beginsStream: Bool
  ) {
    switch content {
    case .feedback:
      self = .feedback(
        Box(FeedbackDecoder(rules: options.rules, offset: offset, beginsStream: beginsStream)))
    case .requests:
      self = .requests(
        Box(RequestDecoder(rules: options.requestRules, offset: offset, beginsStream: beginsStream)))
    case .responses: self = .responses(Box(ResponseDecoder(offset: offset, beginsStream: beginsStream)))
    case .http2:
      self = .http2(
        Box(
          FrameDecoder(
            sender == .client ? .client : .server, offset: offset, beginsStream: beginsStream)))
    case .providerLog: self = .providerLog(LogDecoder(options.logMapping, offset: offset))
    }
  }

  var content: DirectionContent {
    switch self {
    case .feedback: .feedback
    case .requests: .requests
    case .responses: .responses
    case .providerLog: .providerLog
    case .http2: .http2
    }
  }

  /// The next step in `chunk`. Call it until it returns `needsBytes`.
  func next(in chunk: RawSpan) -> Step {
    switch self {
    case .feedback(let decoder):
      switch decoder.value.next(in: chunk) {
      case .records(let run): .records(run)
      case .between(let offset, let length): .between(offset: offset, length: length)
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
    case .providerLog(let decoder):
      switch decoder.next(in: chunk) {
      case .push(let offset, let length): .logged(decoder, offset: offset, length: length)
      case .passed(_, let length): .passed(length: length)
      case .skipped(let skip): .skippedLines(decoder, skip)
      case .truncated(let offset, let length): .truncated(offset: offset, length: length)
      case .needsBytes, .finished: .needsBytes
      }
    case .http2(let decoder):
      switch decoder.value.next(in: chunk) {
      case .frame(let frame): .frame(frame)
      case .opening(let offset, let length, let isUpgrade):
        .opening(offset: offset, length: length, isUpgrade: isUpgrade)
      case .skipped(let offset, let length): .skipped(offset: offset, length: length)
      case .truncated(let offset, let length): .truncated(offset: offset, length: length)
      case .needsBytes, .finished: .needsBytes
      }
    }
  }

  /// Sets the maximum payload length of HTTP/2 frames in bytes; nil if unknown.
  func allow(payload: Int?) {
    if case .http2(let decoder) = self, let payload { decoder.value.allow(payload: payload) }
  }

  /// Marks the end of the run, whose remaining steps follow.
  func finishRun(atGap: Bool) {
    switch self {
    case .feedback(let decoder): decoder.value.finish(atGap: atGap)
    case .requests(let decoder): decoder.value.finish()
    case .responses(let decoder): decoder.value.finish()
    case .providerLog(let decoder): decoder.finish()
    case .http2(let decoder): decoder.value.finish()
    }
  }

  /// The buffer for records of the last step that began in earlier chunks.
  var carry: [UInt8] {
    switch self {
    case .feedback(let decoder): decoder.value.carry
    case .requests(let decoder): decoder.value.carry
    case .responses, .providerLog: []
    case .http2(let decoder): decoder.value.carry
    }
  }

  var undecidedOffset: Int {
    switch self {
    case .feedback(let decoder): decoder.value.undecidedOffset
    case .requests(let decoder): decoder.value.undecidedOffset
    case .responses(let decoder): decoder.value.undecidedOffset
    case .providerLog(let decoder): decoder.undecidedOffset
    case .http2(let decoder): decoder.value.undecidedOffset
    }
  }

  /// Offset of the first byte that is being skipped; nil if none is.
  var pendingSkip: Int? {
    switch self {
    case .feedback(let decoder): decoder.value.pendingSkip
    case .requests(let decoder): decoder.value.pendingSkip
    case .responses(let decoder): decoder.value.pendingSkip
    case .providerLog(let decoder): decoder.pendingSkip
    case .http2(let decoder): decoder.value.pendingSkip
    }
  }

  /// Offset up to which steps have covered the bytes: that of the first undecided or skipped byte.
  var coveredOffset: Int { pendingSkip ?? undecidedOffset }
}

/// A value on the heap: for payloads of enums that change in place, and for rarely used properties.
final class Box<Value> {
  @exclusivity(unchecked) var value: Value

  init(_ value: Value) { self.value = value }
}
