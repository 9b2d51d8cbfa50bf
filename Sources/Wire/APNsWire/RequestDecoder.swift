import WireBytes

/// Decodes the requests of a client (docs/spec/decoding-rules.md#gateway-requests). `RunDecoder` says how to use it.
///
/// Every step is returned as soon as the window has enough bytes to decide it: a request, once the lengths after it
/// have arrived. `holdBack` bytes always suffice.
public struct RequestDecoder: RunDecoder, RunParser {
  public typealias Record = RequestFrame

  private let rules: RequestRules
  public var cursor: RunCursor
  /// A search inside the request at the cursor, whose extent is doubtful, from `candidate` on and before `end`. Both are
  /// relative to the cursor. `isCut` is true if the run ends inside the request.
  private var open: (candidate: Int, end: Int, isCut: Bool)?
  /// Bytes of the request at the cursor, if its lengths were read for the boundary before it; else 0.
  private var knownLength = 0

  /// - Parameters:
  ///   - rules: allowed token lengths and the limits of lengths.
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first start.
  public init(rules: RequestRules, offset: Int = 0, beginsStream: Bool = true) {
    self.rules = rules
    cursor = RunCursor(offset: offset, beginsStream: beginsStream)
  }

  public var holdBack: Int { rules.holdBack }

  public mutating func next(in chunk: RawSpan) -> DecoderStep<RequestFrame>? { nextStep(in: chunk) }

  /// Steps 2, 3 and 5.
  mutating func parse(in run: RawSpan) throws(NeedsBytes) -> Step? {
    if open != nil { return try settleCandidate(in: run) }
    let index = cursor.position
    guard index < run.byteCount else { return nil }
    let extent = knownLength > 0 ? .known(end: index &+ knownLength) : rules.extent(at: index, in: run)
    knownLength = 0
    switch extent {
    case .none: return undecodable(in: run)
    case .known(let end) where end <= run.byteCount:
      if let length = try rules.boundary(at: end, in: run, ended: cursor.ended) {
        knownLength = length
        return request(endingAt: end, flags: [], in: run)
      }
      if try isStart(at: index, in: run) {
        return request(endingAt: end, flags: .unconfirmedBoundary, in: run)
      }
      open = (1, end - index, false)
    case .known, .unfinished:
      guard cursor.ended else { return nil }
      open = (1, run.byteCount - index, true)
    }
    return try settleCandidate(in: run)
  }

  /// Looks for a start inside the request at the cursor. The cursor stays until the search is over.
  private mutating func settleCandidate(in run: RawSpan) throws(NeedsBytes) -> Step? {
    guard let (first, end, isCut) = open else { return nil }
    let index = cursor.position
    for candidate in first..<max(first, end) {
      open?.candidate = candidate
      if try isStart(at: index + candidate, in: run) {
        open = nil
        return skip(to: index + candidate)
      }
    }
    open = nil
    return isCut ? truncate(in: run) : request(endingAt: index + end, flags: .unconfirmedBoundary, in: run)
  }

  func isStart(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool {
    try rules.isStart(at: index, in: run, ended: cursor.ended)
  }

  private mutating func request(endingAt end: Int, flags: RecordFlags, in run: RawSpan) -> Step {
    let fields = RequestFields(cursor.position..<end, in: run)
    let content = fields.flags(by: rules, in: run)
    return .record(
      RequestFrame(
        fields: fields, offset: cursor.undecidedOffset,
        flags: flags.union(content).union(cursor.passRecord(to: end))))
  }
}

/// The extent of a request, from its length fields (docs/spec/decoding-rules.md#gateway-requests).
enum RequestExtent: Equatable {
  /// No request: unknown command, or a length above its limit.
  case none
  /// The window ends before the last length field; the earlier ones are within their limits.
  case unfinished
  /// `end` is the index after the request, which may be after the end of the window.
  case known(end: Int)
}

/// The predicates for request boundaries of docs/spec/decoding-rules.md#plausible-boundaries, each with its name there.
///
/// `run` is a window of the run, and `ended` is true if it ends where the run ends: then nothing needs
/// more bytes. Indices are from 0, in `run`.
extension RequestRules {
  /// The extent of the request at `index`, which must be in the window.
  func extent(at index: Int, in run: RawSpan) -> RequestExtent {
    let left = run.byteCount - index
    let command = run.byte(at: index)
    switch command {
    case 0, 1:
      let header = RequestLayout.headerLength(command)
      guard left >= header else { return .unfinished }
      let token = Int(run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize))
      guard token <= longestToken else { return .none }
      let lengthsEnd = header + token + RequestLayout.lengthSize
      guard left >= lengthsEnd else { return .unfinished }
      let payload = Int(run.bigEndianUInt16(at: index + header + token))
      // Five zeros are not an empty request: capture tools fill gaps with zeros.
      if payload > longestPayload || (command == 0 && token == 0 && payload == 0) { return .none }
      return .known(end: index + lengthsEnd + payload)
    case 2:
      guard left >= RequestLayout.itemsOffset else { return .unfinished }
      let items = run.bigEndianUInt32(at: index + RequestLayout.itemsLengthOffset)
      guard items <= UInt32(Self.longestItems) else { return .none }
      return .known(end: index + RequestLayout.itemsOffset + Int(items))
    default:
      return .none
    }
  }

  /// boundary(o): if `index` is a plausible boundary, the bytes of the request there, 0 if the run ends in its lengths.
  func boundary(at index: Int, in run: RawSpan, ended: Bool) throws(NeedsBytes) -> Int? {
    switch index < run.byteCount ? extent(at: index, in: run) : .unfinished {
    case .none: return nil
    case .known(let end): return end &- index
    case .unfinished:
      if ended { return 0 }
      throw NeedsBytes()
    }
  }

  /// start(p): decoding may resume at `index`, which must be in the window.
  func isStart(at index: Int, in run: RawSpan, ended: Bool) throws(NeedsBytes) -> Bool {
    switch extent(at: index, in: run) {
    case .none: return false
    case .known(let end) where end <= run.byteCount:
      guard isConvincing(from: index, to: end, in: run) else { return false }
      return try boundary(at: end, in: run, ended: ended) != nil || hasJSON(from: index, to: end, in: run)
    case .known, .unfinished:
      if ended { return false }
      throw NeedsBytes()
    }
  }

  /// Whether the payload of the convincing request from `index` to `end` is an object of JSON.
  func hasJSON(from index: Int, to end: Int, in run: RawSpan) -> Bool {
    !RequestFields(index..<end, in: run).flags(by: self, in: run).contains(.payloadNotJSON)
  }

  /// Whether the whole request from `index` to `end` looks like a client's: a normal token length, a payload in
  /// braces, and for command 2 items that fill the frame, each known, of the right size and at most once.
  func isConvincing(from index: Int, to end: Int, in run: RawSpan) -> Bool {
    let command = run.byte(at: index)
    guard command != 2 else { return hasConvincingItems(index + RequestLayout.itemsOffset..<end, in: run) }
    let header = RequestLayout.headerLength(command)
    let token = run.bigEndianUInt16(at: index + header - RequestLayout.lengthSize)
    let payload = index + header + Int(token) + RequestLayout.lengthSize
    return tokenLengths.contains(token) && isInBraces(payload..<end, in: run)
  }

  /// Reads at most six items: with five kinds, the sixth is a repetition.
  private func hasConvincingItems(_ range: Range<Int>, in run: RawSpan) -> Bool {
    var items = RequestItems(range)
    var seen: UInt8 = 0
    while let item = items.next(in: run) {
      guard let kind = RequestItem.Kind(rawValue: item.id), seen & kind.bit == 0, kind.takes(item.data.count)
      else { return false }
      seen |= kind.bit
      if kind == .token, !tokenLengths.contains(UInt16(truncatingIfNeeded: item.data.count)) { return false }
      if kind == .payload, !isInBraces(item.data, in: run) { return false }
    }
    let needed = RequestItem.Kind.token.bit | RequestItem.Kind.payload.bit
    return items.isAtEnd && seen & needed == needed
  }

  private func isInBraces(_ payload: Range<Int>, in run: RawSpan) -> Bool {
    payload.count >= 2 && run.byte(at: payload.lowerBound) == UInt8(ascii: "{")
      && run.byte(at: payload.upperBound - 1) == UInt8(ascii: "}")
  }
}
