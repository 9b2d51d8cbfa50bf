import APNsWire
import APNsPushes
import PacketCapture
import ProviderLogs

/// Determines the content of a direction from its first bytes, and with it the roles of the sides.
extension StreamAnalysis {
  /// The number of bytes of a direction's first run that decide its content. As more of them come it becomes smaller at
  /// most, so the decision does not depend on how they are cut.
  func headLength(of head: RawSpan, of direction: borrowing DirectionAnalysis) -> Int {
    let probed = log.options.choice.named == nil
    let http2 = probed ? HTTP2Recognition.decidingLength(head, server: ContentProbe.headLength) : nil
    if http2 == HTTP2Preface.length { return HTTP2Preface.length }
    if identity.serverEvidence == .log { return ContentProbe.dumpHeadLength }
    if isSettled, expected != nil {
      if let http2 { return http2 }
      guard probed, !direction.beginsStream else { return Ciphertext.headLength }
      // Requests that are read later than their responses lose their outcomes; a client of feedback sends nothing.
      if expected != .feedback || direction.side == server {
        return max(ContentProbe.headLength, HTTP2Recognition.startLength(head))
      }
    }
    if identity.serverEvidence == .dump { return ContentProbe.dumpHeadLength }
    if let http2 { return max(http2, ContentProbe.headLength) }
    let longest = direction.beginsStream ? ContentProbe.longHeadLength : ContentProbe.longestHeadLength
    var length = ContentProbe.headLength
    while length < longest, head.byteCount >= length,
      log.options.probe.content(of: head.extracting(first: length)) == nil
    {
      length *= 4
    }
    return length
  }

  /// Decides the content of the direction from the first bytes of its first run, and decodes all of `bytes`.
  func decide(on bytes: RawSpan, at location: ChunkLocation?, of direction: inout DirectionAnalysis)
    throws
  {
    let start = direction.coveredOffset ?? 0
    let head = bytes.extracting(first: min(bytes.byteCount, headLength(of: bytes, of: direction)))
    direction.content = .other
    let opening = head.extracting(first: min(head.byteCount, Ciphertext.headLength))
    if Ciphertext.begins(opening.withUnsafeBytes { Array($0) }) {
      direction.content = .ciphertext
      direction.trail = OriginTrail()
      return
    }
    direction.first = nil
    guard let carried = content(of: head, of: direction) else {
      direction.trail = OriginTrail()
      return
    }
    try recognised(carried, of: head, from: direction.side)
    if carried == .requests, !direction.beginsStream { gateway?.value.isIncomplete = true }
    let decoder = decoder(of: carried, from: direction.side, at: start, direction.beginsStream)
    (decoder as? Box<LogDecoder>)?.value.prepare(with: head)
    direction.content = .decoded(decoder)
    try decoder.decode(bytes, at: location, for: self, of: &direction)
  }

  /// - Parameter beginsStream: whether the run at `offset` is the beginning of the stream.
  func decoder(
    of content: DirectionContent, from side: Side, at offset: Int, _ beginsStream: Bool
  ) -> any BoxedDecoder {
    let options = log.options
    let isList = identity.serverEvidence == .carved && identity.carving == nil
    switch content {
    case .feedback:
      return Box(
        FeedbackDecoder(
          rules: isList ? options.rules.ofLists : options.rules, offset: offset, beginsStream: beginsStream,
          isDump: identity.serverEvidence == .dump))
    case .requests:
      return Box(RequestDecoder(rules: options.requestRules, offset: offset, beginsStream: beginsStream))
    case .responses: return Box(ResponseDecoder(offset: offset, beginsStream: beginsStream))
    case .http2:
      var decoder = FrameDecoder(role(of: side), offset: offset, beginsStream: beginsStream)
      allowPayload(of: side, in: &decoder)
      return Box(decoder)
    case .providerLog: return Box(LogDecoder(options.logs, offset: offset))
    }
  }

  /// Sets the maximum payload length of the frames of a side, if it is known.
  func allowPayload(of side: Side, in decoder: inout FrameDecoder) {
    if let limit = pushes?.limit(of: role(of: side)) { decoder.allow(payload: limit) }
  }

  /// The content of a direction, whose first bytes are `head`; nil if it cannot be decoded.
  private func content(of head: RawSpan, of direction: borrowing DirectionAnalysis) -> DirectionContent? {
    let side = direction.side
    // Ports are weaker evidence.
    if log.options.choice.named == nil,
      beginsHTTP2(head, of: direction) || continuesHTTP2(head, of: direction)
    {
      return .http2
    }
    switch expected {
    case .http2: return .http2
    // The bytes are better evidence than guessed roles.
    case .feedback:
      return side == server || !isSettled && log.options.probe.isFeedback(head) ? .feedback : nil
    case .gateway:
      if !isSettled, let carried = log.options.probe.content(of: head), carried != .feedback,
        carried != .http2
      {
        return carried
      }
      return side == server ? .responses : .requests
    case .providerLog: return .providerLog
    case .encrypted, .other: return nil
    case nil: return recognise(head, from: side)
    }
  }

  private func recognise(_ head: RawSpan, from side: Side) -> DirectionContent? {
    let carried = shownContent(of: head, from: side)
    // A dump that matches no known content is read as feedback.
    if identity.serverEvidence == .dump { return carried ?? .feedback }
    if carried == .http2 { return .http2 }
    let least = identity.peers == nil ? 1 : 2
    if carried == .feedback, !log.options.probe.isFeedback(head, least: least) { return nil }
    if carried == .responses {
      guard case .undecided(let requests, _) = self[side.other].content,
        log.options.probe.isRequests(requests.span.bytes)
      else { return nil }
    }
    let isServer = carried != .requests
    return isSettled && carried != .feedback && (side == server) != isServer ? nil : carried
  }

  /// The content that the bytes show; HTTP/2 also if only those of the other side do.
  private func shownContent(of head: RawSpan, from side: Side) -> DirectionContent? {
    let probe = log.options.probe
    if let shown = probe.content(of: head, isDump: identity.serverEvidence == .dump) { return shown }
    guard case .undecided(let other, _) = self[side.other].content else { return nil }
    return probe.content(of: other.span.bytes) == .http2 ? .http2 : nil
  }

  /// Whether an HTTP/2 connection begins here. A gap may cut off the preface.
  private func beginsHTTP2(_ head: RawSpan, of direction: borrowing DirectionAnalysis) -> Bool {
    HTTP2Recognition.isClient(head) || direction.beginsStream && beginsCutPreface(head)
      || (direction.side == server || !isSettled) && HTTP2Recognition.isServer(head)
  }

  /// Whether an HTTP/2 connection continues here: those that manage channels have the ports of the old services.
  private func continuesHTTP2(_ head: RawSpan, of direction: borrowing DirectionAnalysis) -> Bool {
    expected != nil && !direction.beginsStream && shownContent(of: head, from: direction.side) == .http2
  }

  /// The first bytes of a preface may also be the time of a tuple: its length, after them, cannot be that of one. Fewer
  /// bytes count only if nothing else is known of the stream.
  private func beginsCutPreface(_ head: RawSpan) -> Bool {
    let isKnown = expected != nil || identity.serverEvidence == .dump
    return HTTP2Preface.mayBegin(at: 0, in: head) && (!isKnown || head.byteCount >= Tuple.headerLength)
  }

  /// Sets roles and protocol from the content that `side` sends.
  private func recognised(_ carried: DirectionContent, of head: RawSpan, from side: Side) throws {
    if carried == .http2 { return try recognisedHTTP2(head, from: side) }
    if !isSettled { server = carried == .requests ? side.other : side }
    if expected == nil { expected = carried == .feedback ? .feedback : .gateway }
    try settle()
    if carried == .requests || carried == .responses, gateway == nil {
      gateway = Box(
        Correlator(log.gateway, keepsRecords: log.needs.contains(.gatewayRecords), client: server.other))
    }
  }

  private func recognisedHTTP2(_ head: RawSpan, from side: Side) throws {
    if !isSettled {
      if HTTP2Recognition.isClient(head) || HTTP2Preface.mayBegin(at: 0, in: head) {
        server = side.other
      } else if let sender = HTTP2Recognition.sender(of: head) {
        server = sender == .server ? side : side.other
      }
    }
    expected = .http2
    try settle()
    if pushes == nil {
      pushes = PushConnection(
        log.pushes, keepsPayloads: log.needs.contains(.payloads),
        alone: identity.serverEvidence == .dump ? role(of: .first) : nil)
    }
  }
}
