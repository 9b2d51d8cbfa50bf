import APNsWire
import Basics
import ProviderLogs
import StreamInputs

/// Detects the content of a direction, or of a file, from its first bytes, the head. A head is decoded as if the stream
/// ended after it.
package struct ContentProbe: Sendable {
  /// Bytes of the head of a direction's first run; the most of one whose first bytes match nothing; the most of such a one
  /// that begins in the middle of a connection, perhaps within a frame; and those of a dump.
  static let headLength = 512
  static let longHeadLength = 2048
  static let longestHeadLength = 32_768
  static let dumpHeadLength = FormatProbes.headLength
  /// If the head does not begin with a record, at least one byte in 4 must belong to records.
  private static let recordShare = 4

  let feedback: FeedbackRules
  let requests: RequestRules

  /// The probe that recognises raw dumps of one direction, including TLS ciphertext, by their content.
  package var formatProbe: FormatProbe {
    FormatProbe(.format(.dump(.raw))) { head, _ in
      Ciphertext.begins(head) || content(of: head.span.bytes, isDump: true) != nil
    }
  }

  package static func logProbe(_ options: LogOptions) -> FormatProbe {
    FormatProbe(.format(.providerLog)) { head, isWhole in
      LogProbe.recognises(head.span.bytes, isWhole: isWhole, options)
    }
  }

  /// Nil if the head matches no known content.
  package func content(of head: RawSpan, isDump: Bool = false) -> DirectionContent? {
    if HTTP2Recognition.isClient(head) || HTTP2Recognition.isServer(head) { return .http2 }
    if isFeedback(head) { return .feedback }
    // An expiry and the token after it are like a tuple, and equal payloads like separators of tuples.
    if isRequests(head) { return .requests }
    if isDump, isFeedback(head, isDump: true) { return .feedback }
    if isResponses(head) { return .responses }
    return HTTP2Recognition.isInside(head) ? .http2 : nil
  }

  /// Whether the head begins with a tuple, or at least a quarter of it is tuples and what is between them.
  /// - Parameter least: how many tuples without a flag it must have. One whose time is a multiple of 65536 does not count:
  ///   it may be a message of Modbus, which has two zero bytes there.
  func isFeedback(_ head: RawSpan, isDump: Bool = false, least: Int = 0) -> Bool {
    var decoder = FeedbackDecoder(rules: feedback, isDump: isDump)
    var (recordBytes, sound) = (0, 0)
    var beginsWithRecord = false
    decoder.decode(whole: head) { step, bytes in
      if case .between(_, let length) = step { recordBytes += length }
      guard case .record(let run) = step else { return }
      // A single flagged tuple is not enough evidence: random bytes sometimes look like one.
      if run.offset == 0, run.count > 1 || run.flags.isEmpty { beginsWithRecord = true }
      recordBytes += run.count * run.stride
      guard run.flags.isEmpty else { return }
      for index in 0..<run.count where run.time(of: index, in: bytes) & 0xffff != 0 { sound += 1 }
    }
    guard sound >= least else { return false }
    return beginsWithRecord || (recordBytes > 0 && recordBytes * Self.recordShare >= head.byteCount)
  }

  /// Whether the head begins with a request (or the beginning of one) with a JSON payload, or at least a quarter of
  /// it is such requests.
  func isRequests(_ head: RawSpan) -> Bool {
    if requests.mayBeginRequest(head) { return true }
    var decoder = RequestDecoder(rules: requests)
    var recordBytes = 0
    decoder.decode(whole: head) { step, _ in
      guard case .record(let frame) = step, frame.flags.isDisjoint(with: Self.unusual) else { return }
      recordBytes += frame.length
    }
    return recordBytes > 0 && recordBytes * Self.recordShare >= head.byteCount
  }

  /// Flags of requests that do not count as evidence.
  private static let unusual: RecordFlags = [
    .malformedItems, .payloadNotJSON, .unconfirmedBoundary, .unknownItem, .zeroFilledToken,
  ]

  /// Whether the head consists only of error responses with known statuses, the last of which may be cut off.
  /// Responses are short, and messages of other protocols begin with an 8, too.
  func isResponses(_ head: RawSpan) -> Bool {
    guard head.byteCount >= ErrorResponse.length else { return false }
    for index in stride(from: 0, to: head.byteCount, by: ErrorResponse.length) {
      guard head.byte(at: index) == ErrorResponse.command else { return false }
      guard index + ErrorResponse.length <= head.byteCount else { break }
      if ErrorStatus(rawValue: ErrorResponse(at: index, in: head).status) == nil { return false }
    }
    return true
  }
}
