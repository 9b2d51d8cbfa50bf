import APNsWire
import Basics

/// The pushes, broadcasts and requests for channels of one HTTP/2 connection: finds the response of each request (docs/spec/pushes.md#exchanges).
///
/// The frames of a direction arrive in order. Between the directions, the order is approximate: a response may arrive
/// before its request while a segment of the client's direction is late.
package final class PushConnection {
  private static let maxFrameSize: UInt16 = 5
  private static let refusedStream: UInt32 = 7

  private let keepsPayloads: Bool
  private let budget: PushBudget
  /// The key of the last provider token, as an index; nil if it has none.
  @exclusivity(unchecked) private var key: Int?
  /// The direction of a one-sided dump; nil if both directions may have bytes.
  private let alone: Direction?
  private let client = HeaderBlocks()
  private let server = HeaderBlocks()
  @exclusivity(unchecked) private var headers = HeaderFields()
  @exclusivity(unchecked) private var exchanges: OpenExchanges
  /// Streams whose response has ended before their request.
  @exclusivity(unchecked) private var withOpenRequest: [UInt32] = []
  @exclusivity(unchecked) private var lastRequest: UInt32 = 0
  /// The last stream id and the reason in the server's GOAWAY; nil without a GOAWAY.
  @exclusivity(unchecked) private var goAway: (lastProcessed: UInt32, reason: [UInt8], isUncertain: Bool)?
  /// Whether the connection has had requests of each kind, and of other services.
  @exclusivity(unchecked) private var has = ByService(false)
  @exclusivity(unchecked) private var hasOthers = false
  /// Whether bytes of the current frame are in doubt.
  @exclusivity(unchecked) package var isUncertain = false
  @exclusivity(unchecked) package private(set) var counts = ByService(PushCounts())
  /// The maximum frame size for what each side sends: SETTINGS_MAX_FRAME_SIZE of the other side.
  @exclusivity(unchecked) private var limitOfClient: Int?
  @exclusivity(unchecked) private var limitOfServer: Int?

  package init(_ budget: PushBudget, keepsPayloads: Bool, alone: Direction?) {
    exchanges = OpenExchanges(budget)
    self.budget = budget
    self.keepsPayloads = keepsPayloads
    self.alone = alone
  }

  /// The maximum payload length of a direction's frames in bytes; nil if unknown.
  package func limit(of direction: Direction) -> Int? { direction == .client ? limitOfClient : limitOfServer }

  // MARK: - Input

  package func begin(_ direction: Direction) { blocks(of: direction).begin() }

  private func blocks(of direction: Direction) -> HeaderBlocks { direction == .client ? client : server }

  /// Bytes of a direction are missing or unreadable. No header block is open: see `cutBlock`.
  package func gap(in direction: Direction) {
    blocks(of: direction).gap()
    guard direction == .client else { return }
    for id in withOpenRequest {
      if let index = exchanges.index(of: id), !exchanges[index].request.hasEnded { exchanges.complete(index) }
    }
    withOpenRequest.removeAll()
  }

  /// Ends the open header block of a direction, unless `frame` continues it, and returns it: its fields are lost.
  /// - Parameter frame: the next frame; nil before missing bytes and at the end.
  package func cutBlock(in direction: Direction, before frame: Frame?) -> HeaderBlocks.Block? {
    guard let cut = blocks(of: direction).abandon(before: frame) else { return nil }
    headers.lose()
    end(cut, of: direction)
    return cut
  }

  /// The next frame of a direction, in which no header block is open that it does not continue.
  ///
  /// - Returns: the error of its header block; usually nil.
  package func take(_ frame: Frame, in bytes: RawSpan, from direction: Direction, at origin: FrameOrigin)
    -> HeaderTable.HeaderError?
  {
    switch frame.kind {
    case .data: data(frame, in: bytes, from: direction, at: origin)
    case .headers, .pushPromise, .continuation:
      let (block, error) = blocks(of: direction).read(frame, in: bytes, at: origin, into: &headers)
      if let block { end(block, of: direction) }
      return error
    case .reset:
      reset(frame.streamID, code: bytes.bigEndianUInt32(at: frame.payload.lowerBound), from: direction)
    case .settings: set(frame, in: bytes, from: direction)
    case .goAway: if direction == .server { takeGoAway(frame, in: bytes) }
    case .priority, .ping, .windowUpdate, nil: break
    }
    return nil
  }

  // MARK: - Header blocks

  /// Ends a header block with the fields in `headers`.
  private func end(_ block: HeaderBlocks.Block, of direction: Direction) {
    guard !block.isPromise, isOfClient(block.id) else { return }
    if direction == .client {
      request(block.id, ends: block.endsStream, at: block.origin)
    } else {
      response(block.id, ends: block.endsStream, at: block.origin)
    }
  }

  private func isOfClient(_ id: UInt32) -> Bool { id & 1 == 1 }

  // MARK: - Requests and responses

  private func request(_ id: UInt32, ends: Bool, at origin: FrameOrigin) {
    let isRequest = headers[.method] != nil || headers[.path] != nil
    if isRequest, id <= lastRequest { beginAgain() }
    let isKnown = exchanges.index(of: id).map { exchanges[$0].request.origin != nil } ?? false
    // Trailers of a request that is lost.
    if !isKnown, !isRequest { return }
    let index = exchanges.index(of: id) ?? exchanges.begin(id)
    if !isKnown {
      exchanges[index].request.begin(at: origin, client.gaps)
      exchanges[index].setRequest(&headers)
      if exchanges[index].isOther {
        hasOthers = true
      } else if !exchanges[index].hasLostPath {
        has[exchanges[index].fields.service.kind] = true
        countKey()
      }
    }
    flagConflicts(index)
    lastRequest = max(lastRequest, id)
    if ends { endRequest(index) } else { exchanges.grow(index) }
  }

  /// The next request is of another connection with the same ports: stream ids only grow (RFC 9113, section 5.1.1).
  private func beginAgain() {
    exchanges.completeAll()
    withOpenRequest.removeAll()
    (lastRequest, goAway) = (0, nil)
  }

  private func countKey() {
    guard headers.hasAuthorization, !isUncertain else { return }
    if headers.takeChange() { key = budget.keys.add(headers.authorization) }
    budget.keys.countPush(of: key)
  }

  private func endRequest(_ index: Int) {
    exchanges[index].request.end(client.gaps)
    let isComplete = exchanges[index].response.hasEnded || alone == .client
    if isComplete { exchanges.complete(index) } else { exchanges.grow(index) }
  }

  private func response(_ id: UInt32, ends: Bool, at origin: FrameOrigin) {
    let isFinal = headers[.status] != nil || headers.hasLost
    if isFinal, !ends, let status = headers.number(.status), 100..<200 ~= status { return }
    let index = exchanges.index(of: id) ?? exchanges.begin(id)
    flagConflicts(index)
    if isFinal, !exchanges[index].hasStatusBlock {
      // If the first status is unknown and a second one comes, the first was that of an interim response.
      if exchanges[index].response.origin == nil || headers[.status] != nil {
        exchanges[index].response.begin(at: origin, server.gaps)
        exchanges[index].setResponse(&headers)
      }
    } else if exchanges[index].response.origin == nil {
      // Trailers of a response that is lost.
      exchanges[index].response.origin = origin
      exchanges[index].fields.flags.insert(.unknownHeaders)
    }
    if ends { endResponse(index) } else { exchanges.grow(index) }
  }

  private func endResponse(_ index: Int) {
    exchanges[index].response.end(server.gaps)
    let id = exchanges[index].id
    if exchanges[index].request.origin == nil {
      // The request may still come: the client's direction may wait for a late segment.
      if alone == .server || id < lastRequest { exchanges.complete(index) } else { exchanges.grow(index) }
    } else if exchanges[index].request.hasEnded || exchanges[index].request.gaps != client.gaps {
      exchanges.complete(index)
    } else {
      withOpenRequest.append(id)
      exchanges.grow(index)
    }
  }

  private func data(_ frame: Frame, in bytes: RawSpan, from direction: Direction, at origin: FrameOrigin) {
    let ends = frame.flags.contains(.endStream)
    if direction == .client {
      guard let index = exchanges.index(of: frame.streamID), exchanges[index].request.origin != nil else {
        return
      }
      flagConflicts(index)
      appendPayload(frame, in: bytes, to: &exchanges[index])
      if ends { endRequest(index) }
    } else {
      guard isOfClient(frame.streamID) else { return }
      let index = exchanges.index(of: frame.streamID) ?? exchanges.begin(frame.streamID)
      if exchanges[index].response.origin == nil {
        exchanges[index].response.begin(at: origin, server.gaps)
        exchanges[index].fields.flags.insert(.unknownHeaders)
      }
      flagConflicts(index)
      appendBody(frame, in: bytes, to: &exchanges[index])
      if ends { endResponse(index) } else { exchanges.grow(index) }
    }
  }

  private func flagConflicts(_ index: Int) {
    if isUncertain { exchanges[index].fields.flags.insert(.conflictingBytes) }
  }

  private func appendPayload(_ frame: Frame, in bytes: RawSpan, to exchange: inout PushExchange) {
    guard let content = frame.content(in: bytes) else {
      exchange.request.hasHole = true
      return
    }
    exchange.payloadLength &+= content.count
    let service = exchange.fields.service
    guard keepsPayloads && service == .push || service == .create, !exchange.isOther,
      exchange.payloadLength <= PushExchange.longestPayload
    else {
      return
    }
    bytes.extracting(content).withUnsafeBytes { exchange.payload.append(contentsOf: $0) }
  }

  private func appendBody(_ frame: Frame, in bytes: RawSpan, to exchange: inout PushExchange) {
    guard let content = frame.content(in: bytes) else {
      exchange.response.hasHole = true
      return
    }
    guard exchange.response.gaps != server.gaps else { return exchange.appendBody(bytes.extracting(content)) }
    // A body without its beginning is not valid JSON, but one with a gap inside can be.
    exchange.response.hasHole = true
    if exchange.body.isEmpty {
      exchange.appendBody(bytes.extracting(content))
      exchange.response.gaps = server.gaps
    } else if !content.isEmpty {
      exchange.isBodyTooLong = true
    }
  }

  // MARK: - Other frames

  private func reset(_ id: UInt32, code: UInt32, from direction: Direction) {
    guard isOfClient(id) else { return }
    if direction == .client {
      guard let index = exchanges.index(of: id), exchanges[index].request.origin != nil else { return }
      exchanges[index].isCancelled = true
      flagConflicts(index)
      if !exchanges[index].request.hasEnded {
        exchanges[index].request.isCut = true
        endRequest(index)
      }
    } else {
      // An unknown stream id up to `lastRequest` is that of a complete exchange.
      guard let index = exchanges.index(of: id) ?? (id > lastRequest ? exchanges.begin(id) : nil) else {
        return
      }
      flagConflicts(index)
      if code == Self.refusedStream, exchanges[index].response.origin == nil {
        exchanges[index].fields.flags.insert(.refused)
      }
      if !exchanges[index].response.hasEnded {
        exchanges[index].response.isCut = true
        endResponse(index)
      }
    }
  }

  private func set(_ frame: Frame, in bytes: RawSpan, from direction: Direction) {
    for index in stride(from: frame.payload.lowerBound, to: frame.payload.upperBound &- 5, by: 6)
    where bytes.bigEndianUInt16(at: index) == Self.maxFrameSize {
      let limit = Int(bytes.bigEndianUInt32(at: index &+ 2))
      if direction == .client { limitOfServer = limit } else { limitOfClient = limit }
    }
  }

  private func takeGoAway(_ frame: Frame, in bytes: RawSpan) {
    let last = bytes.bigEndianUInt32(at: frame.payload.lowerBound) & 0x7fff_ffff
    var reason = goAway?.reason ?? []
    // The last stream and the error code come before the debug data (RFC 9113, section 6.8).
    let debugData = frame.payload.dropFirst(8)
    if reason.isEmpty, debugData.count <= PushExchange.longestBody,
      let text = PushBody(debugData, in: bytes)?.reason, UTF8Text.isValid(text, in: bytes)
    {
      bytes.extracting(text).withUnsafeBytes { reason.append(contentsOf: $0) }
    }
    goAway = (min(goAway?.lastProcessed ?? last, last), reason, isUncertain || goAway?.isUncertain ?? false)
  }

  /// Both directions have ended: completes all open exchanges.
  package func finish() { exchanges.completeAll() }

  // MARK: - Output

  package var hasComplete: Bool { exchanges.hasComplete }

  /// The first frame of the first evicted exchange; nil from the second call on.
  package func removeEvicted() -> Evicted? { exchanges.removeEvicted() }

  /// Emits the complete exchanges of the service: their fields, whose texts are ranges of the bytes, and the first known
  /// frame of the request and of the response, of which one is known at least.
  package func removeComplete(
    _ emit: (PushFields, _ request: FrameOrigin?, _ response: FrameOrigin?, RawSpan) throws -> Void
  ) rethrows {
    try exchanges.removeComplete { exchange in
      guard settleService(&exchange) else { return }
      settleRequest(&exchange)
      settleResponse(&exchange)
      counts[exchange.fields.service.kind].count(exchange.fields)
      try emit(exchange.fields, exchange.request.origin, exchange.response.origin, exchange.texts.span.bytes)
    }
  }

  /// Finds the kind of an exchange whose path is not known, and returns whether it is one of the service.
  private func settleService(_ exchange: inout PushExchange) -> Bool {
    // Bytes in doubt do not prove the path of another service.
    let isInDoubt = exchange.fields.flags.contains(.conflictingBytes) && exchange.fields[.apnsID] != nil
    guard !exchange.isOther || isInDoubt, exchange.firstFrame != nil else { return false }
    let hasPath = exchange.request.origin != nil && !exchange.hasLostPath
    let fields = exchange.fields
    guard !hasPath, fields.service == .push, fields[.apnsID] == nil, fields[.topic] == nil else {
      return true
    }
    if fields[.channelID] != nil {
      exchange.fields.service = .create
    } else if fields[.requestID] != nil {
      let isOfChannel = exchange.isAnswerForChannel ?? (has.channels && !has.broadcasts)
      exchange.fields.service = isOfChannel ? .channel : .broadcast
    } else {
      // All known paths of the connection are those of other requests.
      if !has.pushes, has.channels || has.broadcasts {
        exchange.fields.service = has.channels ? .channel : .broadcast
      } else if hasOthers, !has.pushes {
        return false
      }
      // Each response of the service has an id.
      return fields.flags.contains(.unknownHeaders)
    }
    return true
  }

  private func settleRequest(_ exchange: inout PushExchange) {
    if let id = exchange.fields[.channelID], exchange.fields.service != .push,
      !ChannelID.isValid(id, in: exchange.texts.span.bytes)
    {
      exchange.fields.flags.insert(.channelIDNotBase64)
    }
    guard exchange.request.origin != nil else {
      exchange.fields.flags.insert(.uncorrelated)
      return
    }
    exchange.fields.settleToken(in: &exchange.texts, budget.tokenLengths)
    guard exchange.request.hasEnded, !exchange.request.hasHole, !exchange.request.isCut else { return }
    if exchange.fields.service == .create { return exchange.settleCreation() }
    exchange.fields.payloadLength = exchange.fields.service.kind == .channel ? nil : exchange.payloadLength
    guard keepsPayloads, exchange.fields.service == .push,
      exchange.payload.count == exchange.payloadLength,
      UTF8Text.isValid(exchange.payload.indices, in: exchange.payload.span.bytes)
    else { return }
    exchange.fields[.payload] = exchange.append(exchange.payload)
  }

  private func settleResponse(_ exchange: inout PushExchange) {
    if exchange.response.isCut || exchange.isCancelled && !exchange.response.hasEnded {
      exchange.fields.flags.insert(.streamReset)
    }
    if exchange.response.origin != nil {
      let isOpen = !exchange.response.hasEnded
      if isOpen, exchange.response.gaps != server.gaps { exchange.response.hasHole = true }
      return exchange.settleBody()
    }
    exchange.fields.flags.insert(.noResponse)
    guard let goAway, exchange.id > goAway.lastProcessed else { return }
    exchange.fields.flags.insert(.goaway)
    if goAway.isUncertain { exchange.fields.flags.insert(.conflictingBytes) }
    if !goAway.reason.isEmpty { exchange.fields[.reason] = exchange.append(goAway.reason) }
  }
}

extension PushExchange {
  /// Whether an answer with `apns-request-id` is one of the channel management; nil if nothing shows it
  /// (docs/spec/pushes.md#exchanges).
  fileprivate var isAnswerForChannel: Bool? {
    if fields[.uniqueID] != nil { return false }
    return switch fields.status {
    case 201, 204: true
    case 200 where isAnswerWhole: true
    default: nil
    }
  }
}
