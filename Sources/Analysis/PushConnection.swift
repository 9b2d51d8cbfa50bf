import APNsWire
import HTTP2
import PacketCapture
import WireBytes

/// The pushes of one HTTP/2 connection: finds the response of each request (docs/spec/pushes.md#exchanges).
///
/// The frames of a direction arrive in order. Between the directions, the order is approximate: a response may arrive
/// before its request, while the client's direction waits for a segment.
final class PushConnection {
  /// One direction.
  private final class Half {
    let table = HeaderTable()
    /// Gaps so far.
    var gaps = 0
    /// A header block that CONTINUATION frames continue.
    var block: OpenBlock?
    /// Its bytes so far.
    var blockBytes: [UInt8] = []
  }

  private struct OpenBlock {
    var id: UInt32
    var flags: Frame.Flags
    /// Whether it is that of a PUSH_PROMISE.
    var isPromise: Bool
    var origin: FrameOrigin
    var isTooLong = false
  }

  /// The longest header block, in bytes before decompression.
  private static let longestBlock = 1 << 16
  private static let maxFrameSize: UInt16 = 5
  private static let refusedStream: UInt32 = 7

  private let budget: PushBudget
  private let keepsPayloads: Bool
  /// In a dump of one direction, that direction: the other one can never follow.
  private let alone: Direction?
  private let client = Half()
  private let server = Half()
  @exclusivity(unchecked) private var headers = HeaderFields()
  @exclusivity(unchecked) private var exchanges: [PushExchange] = []
  /// Indices in `exchanges` that are not used.
  @exclusivity(unchecked) private var unused: [Int] = []
  /// The open exchanges by their streams.
  @exclusivity(unchecked) private var open: [UInt32: Int] = [:]
  /// Their streams in the order in which they began, and some that are not open any more.
  @exclusivity(unchecked) private var order: [UInt32] = []
  @exclusivity(unchecked) private var oldest = 0
  /// Exchanges that are complete, to be emitted.
  @exclusivity(unchecked) private var ready: [Int] = []
  /// Streams with a whole response, whose request has not ended.
  @exclusivity(unchecked) private var withOpenRequest: [UInt32] = []
  /// The highest stream of a request.
  @exclusivity(unchecked) private var lastRequest: UInt32 = 0
  /// The highest stream that the server says it processes; nil without a GOAWAY.
  @exclusivity(unchecked) private var lastProcessed: UInt32?
  /// Whether there were requests for pushes, and others.
  @exclusivity(unchecked) private var hasPushes = false
  @exclusivity(unchecked) private var hasOthers = false
  /// Whether stream 1 is a request of HTTP/1.1 that changed to HTTP/2.
  @exclusivity(unchecked) private var isUpgraded = false
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private(set) var counts = PushCounts()
  /// What each side allows the other one, in SETTINGS.
  @exclusivity(unchecked) private var limitOfClient: Int?
  @exclusivity(unchecked) private var limitOfServer: Int?
  /// The first exchange that was evicted because of a limit; nil once it is reported.
  @exclusivity(unchecked) private var evicted: (origin: FrameOrigin, direction: Direction)?
  @exclusivity(unchecked) private var hasEvicted = false

  init(_ budget: PushBudget, keepsPayloads: Bool, alone: Direction?) {
    self.budget = budget
    self.keepsPayloads = keepsPayloads
    self.alone = alone
  }

  deinit { budget.used -= used }

  /// The longest payload of the frames of a direction, in bytes; nil if it is not known.
  func limit(of direction: Direction) -> Int? { direction == .client ? limitOfClient : limitOfServer }

  // MARK: - Input

  /// The connection begins in a direction.
  func begin(_ direction: Direction, isUpgraded: Bool) {
    if isUpgraded { self.isUpgraded = true }
    if direction == .client { client.table.begin() } else { server.table.begin() }
  }

  /// Bytes of a direction are missing, or cannot be read.
  func gap(in direction: Direction) {
    if direction == .client {
      abandonBlock(of: .client, client)
      client.gaps &+= 1
      client.table.lose()
      for id in withOpenRequest {
        if let index = open[id], !exchanges[index].request.hasEnded { complete(index) }
      }
      withOpenRequest.removeAll()
    } else {
      abandonBlock(of: .server, server)
      server.gaps &+= 1
      server.table.lose()
    }
  }

  /// The next frame of a direction.
  ///
  /// - Returns: why a header block of it could not be read; usually nil.
  func take(_ frame: Frame, in bytes: RawSpan, from direction: Direction, at origin: FrameOrigin)
    -> HeaderTable.Fault?
  {
    switch frame.kind {
    case .data: data(frame, in: bytes, from: direction, at: origin)
    case .headers, .pushPromise, .continuation:
      return direction == .client
        ? readBlock(frame, in: bytes, from: direction, at: origin, client)
        : readBlock(frame, in: bytes, from: direction, at: origin, server)
    case .reset:
      reset(frame.streamID, code: bytes.bigEndianUInt32(at: frame.payload.lowerBound), from: direction)
    case .settings: set(frame, in: bytes, from: direction)
    case .goAway: if direction == .server { goAway(frame, in: bytes) }
    case .priority, .ping, .windowUpdate, nil: break
    }
    return nil
  }

  // MARK: - Header blocks

  private func readBlock(
    _ frame: Frame, in bytes: RawSpan, from direction: Direction, at origin: FrameOrigin, _ half: Half
  ) -> HeaderTable.Fault? {
    if frame.kind == .continuation { return continueBlock(frame, in: bytes, from: direction, half) }
    abandonBlock(of: direction, half)
    let block = OpenBlock(
      id: frame.streamID, flags: frame.flags, isPromise: frame.kind == .pushPromise, origin: origin)
    guard let content = frame.content(in: bytes) else {
      half.table.lose()
      headers.lose()
      end(block, of: direction)
      return .malformed
    }
    if frame.flags.contains(.endHeaders) {
      let fault = half.table.read(bytes.extracting(content), into: &headers)
      end(block, of: direction)
      return fault
    }
    half.block = block
    half.blockBytes.removeAll(keepingCapacity: true)
    bytes.extracting(content).withUnsafeBytes { half.blockBytes.append(contentsOf: $0) }
    return nil
  }

  private func continueBlock(
    _ frame: Frame, in bytes: RawSpan, from direction: Direction, _ half: Half
  ) -> HeaderTable.Fault? {
    guard var block = half.block, block.id == frame.streamID else {
      // The beginning of the block is lost, and with it what it adds to the table.
      half.table.lose()
      return nil
    }
    if half.blockBytes.count &+ frame.payload.count > Self.longestBlock { block.isTooLong = true }
    half.block = block
    if !block.isTooLong {
      bytes.extracting(frame.payload).withUnsafeBytes { half.blockBytes.append(contentsOf: $0) }
    }
    guard frame.flags.contains(.endHeaders) else { return nil }
    half.block = nil
    var fault: HeaderTable.Fault?
    if block.isTooLong {
      half.table.lose()
      headers.lose()
      fault = .tooLong
    } else {
      let bytes = half.blockBytes
      fault = half.table.read(bytes.span.bytes, into: &headers)
    }
    end(block, of: direction)
    return fault
  }

  /// Drops a header block whose end is lost.
  private func abandonBlock(of direction: Direction, _ half: Half) {
    guard let block = half.block else { return }
    half.block = nil
    half.table.lose()
    headers.lose()
    end(block, of: direction)
  }

  /// `headers` are the fields of a block.
  private func end(_ block: OpenBlock, of direction: Direction) {
    guard !block.isPromise, isOfClient(block.id) else { return }
    let ends = block.flags.contains(.endStream)
    if direction == .client {
      request(block.id, ends: ends, at: block.origin)
    } else {
      response(block.id, ends: ends, at: block.origin)
    }
  }

  private func isOfClient(_ id: UInt32) -> Bool { id & 1 == 1 && !(id == 1 && isUpgraded) }

  // MARK: - Requests and responses

  private func request(_ id: UInt32, ends: Bool, at origin: FrameOrigin) {
    let isKnown = open[id].map { exchanges[$0].request.origin != nil } ?? false
    // Trailers: the request before them is lost.
    if !isKnown, headers[.method] == nil, headers[.path] == nil { return }
    let index = open[id] ?? begin(id)
    if !isKnown {
      exchanges[index].request.origin = origin
      exchanges[index].request.gaps = client.gaps
      exchanges[index].setRequest(&headers)
      if exchanges[index].isOther {
        hasOthers = true
      } else if !exchanges[index].hasLostPath {
        hasPushes = true
      }
    }
    lastRequest = max(lastRequest, id)
    if ends { endRequest(index) } else { count(index) }
  }

  private func endRequest(_ index: Int) {
    if exchanges[index].request.gaps != client.gaps { exchanges[index].request.hasHole = true }
    exchanges[index].request.hasEnded = true
    if exchanges[index].response.hasEnded || alone == .client { complete(index) } else { count(index) }
  }

  private func response(_ id: UInt32, ends: Bool, at origin: FrameOrigin) {
    let isFinal = headers[.status] != nil || headers.hasLost
    if isFinal, !ends, let status = headers.number(.status), 100..<200 ~= status { return }
    let index = open[id] ?? begin(id)
    if isFinal, !exchanges[index].hasStatusBlock {
      // After an unknown status, the first one was that of an interim response.
      if exchanges[index].response.origin == nil || headers[.status] != nil {
        exchanges[index].response.origin = origin
        exchanges[index].response.gaps = server.gaps
        exchanges[index].setResponse(&headers)
      }
    } else if exchanges[index].response.origin == nil {
      // Trailers: what they follow is lost.
      exchanges[index].response.origin = origin
      exchanges[index].fields.flags.insert(.unknownHeaders)
    }
    if ends { endResponse(index) } else { count(index) }
  }

  private func endResponse(_ index: Int) {
    if exchanges[index].response.gaps != server.gaps { exchanges[index].response.hasHole = true }
    exchanges[index].response.hasEnded = true
    let id = exchanges[index].id
    if exchanges[index].request.origin == nil {
      // The request may be late: only the end of the connection shows that it is lost.
      if alone == .server { complete(index) } else { count(index) }
    } else if exchanges[index].request.hasEnded || exchanges[index].request.gaps != client.gaps {
      complete(index)
    } else {
      withOpenRequest.append(id)
      count(index)
    }
  }

  private func data(_ frame: Frame, in bytes: RawSpan, from direction: Direction, at origin: FrameOrigin) {
    let ends = frame.flags.contains(.endStream)
    if direction == .client {
      guard let index = open[frame.streamID], exchanges[index].request.origin != nil else { return }
      appendPayload(frame, in: bytes, to: &exchanges[index])
      if ends { endRequest(index) }
    } else {
      guard isOfClient(frame.streamID) else { return }
      let index = open[frame.streamID] ?? begin(frame.streamID)
      if exchanges[index].response.origin == nil {
        exchanges[index].response.origin = origin
        exchanges[index].response.gaps = server.gaps
        exchanges[index].fields.flags.insert(.unknownHeaders)
      }
      appendBody(frame, in: bytes, to: &exchanges[index])
      if ends { endResponse(index) } else { count(index) }
    }
  }

  private func appendPayload(_ frame: Frame, in bytes: RawSpan, to exchange: inout PushExchange) {
    guard let content = frame.content(in: bytes) else {
      exchange.request.hasHole = true
      return
    }
    exchange.payloadLength &+= content.count
    guard keepsPayloads, !exchange.isOther, exchange.payloadLength <= PushExchange.longestPayload else {
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
    // A body whose beginning is lost does not look like a whole one; but a hole inside could be overlooked.
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
      guard let index = open[id], exchanges[index].request.origin != nil else { return }
      exchanges[index].isCancelled = true
      if !exchanges[index].request.hasEnded {
        exchanges[index].request.isCut = true
        endRequest(index)
      }
    } else {
      // Without an open request, it is of a stream that has ended, unless its request is late.
      guard let index = open[id] ?? (id > lastRequest ? begin(id) : nil) else { return }
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

  private func goAway(_ frame: Frame, in bytes: RawSpan) {
    let last = bytes.bigEndianUInt32(at: frame.payload.lowerBound) & 0x7fff_ffff
    lastProcessed = min(lastProcessed ?? last, last)
  }

  // MARK: - The exchanges

  private func begin(_ id: UInt32) -> Int {
    let index = unused.popLast() ?? exchanges.count
    if index == exchanges.count { exchanges.append(PushExchange()) }
    exchanges[index].begin(id)
    open[id] = index
    order.append(id)
    return index
  }

  /// Takes an exchange from the open ones, to be emitted.
  private func complete(_ index: Int) {
    guard open.removeValue(forKey: exchanges[index].id) != nil else { return }
    ready.append(index)
    used &-= exchanges[index].counted
    budget.used &-= exchanges[index].counted
    exchanges[index].counted = 0
    if order.count > 2 &* open.count &+ 1024 {
      order.removeFirst(oldest)
      oldest = 0
      order.removeAll { open[$0] == nil }
    }
  }

  /// Counts the memory of an exchange, and evicts the oldest ones while there are too many.
  private func count(_ index: Int) {
    let growth = exchanges[index].cost &- exchanges[index].counted
    exchanges[index].counted &+= growth
    used &+= growth
    budget.used &+= growth
    guard open.count > budget.limits.maxPending || budget.used > budget.limits.memory else { return }
    evictOldest()
  }

  private func evictOldest() {
    while open.count > 1,
      open.count > budget.limits.maxPending || used > 0 && budget.used > budget.limits.memory,
      oldest < order.count
    {
      let id = order[oldest]
      oldest &+= 1
      guard let index = open[id] else { continue }
      if !hasEvicted {
        hasEvicted = true
        let (request, response) = (exchanges[index].request.origin, exchanges[index].response.origin)
        evicted = (request ?? response).map { ($0, request == nil ? .server : .client) }
      }
      complete(index)
    }
  }

  /// Both directions have ended: what is open will not change any more.
  func finish() {
    abandonBlock(of: .client, client)
    abandonBlock(of: .server, server)
    for id in open.keys.sorted() { if let index = open[id] { complete(index) } }
  }

  /// Removes the location of the first exchange that was evicted, once.
  func removeEvicted() -> (origin: FrameOrigin, direction: Direction)? {
    defer { evicted = nil }
    return evicted
  }

  // MARK: - Output

  var hasReady: Bool { !ready.isEmpty }

  /// Emits the complete exchanges that are pushes.
  func removeReady(_ emit: (PushRecord, RawSpan) throws -> Void) rethrows {
    for index in ready {
      if let record = record(of: &exchanges[index]) {
        counts.count(record.fields)
        let texts = exchanges[index].texts
        try emit(record, texts.span.bytes)
      }
      unused.append(index)
    }
    ready.removeAll(keepingCapacity: true)
  }

  /// Nil if the exchange is no push.
  private func record(of exchange: inout PushExchange) -> PushRecord? {
    guard !exchange.isOther, let origin = exchange.response.origin ?? exchange.request.origin else {
      return nil
    }
    // Without a path, it is what the others are.
    if exchange.request.origin == nil || exchange.hasLostPath, hasOthers, !hasPushes { return nil }
    settleRequest(&exchange)
    settleResponse(&exchange)
    var record = PushRecord(
      exchange.fields, direction: exchange.response.origin == nil ? .client : .server, offset: origin.offset,
      fileOffset: origin.fileOffset, packet: origin.packet)
    record.requestOffset = exchange.request.origin?.offset
    record.requestPacket = exchange.request.origin?.packet?.number
    return record
  }

  private func settleRequest(_ exchange: inout PushExchange) {
    guard exchange.request.origin != nil else {
      exchange.fields.flags.insert(.uncorrelated)
      return
    }
    exchange.fields.settleToken(in: &exchange.texts)
    guard exchange.request.hasEnded, !exchange.request.hasHole, !exchange.request.isCut else { return }
    exchange.fields.payloadLength = exchange.payloadLength
    guard keepsPayloads, exchange.payload.count == exchange.payloadLength,
      UTF8Text.isValid(exchange.payload.indices, in: exchange.payload.span.bytes)
    else { return }
    let payload = exchange.texts.count..<exchange.texts.count &+ exchange.payload.count
    exchange.texts.append(contentsOf: exchange.payload)
    exchange.fields[.payload] = payload
  }

  private func settleResponse(_ exchange: inout PushExchange) {
    if exchange.request.isCut || exchange.response.isCut
      || exchange.isCancelled && !exchange.response.hasEnded
    {
      exchange.fields.flags.insert(.streamReset)
    }
    if exchange.response.origin != nil { return exchange.settleBody() }
    exchange.fields.flags.insert(.noResponse)
    guard let lastProcessed, exchange.id > lastProcessed else { return }
    exchange.fields.flags.insert(.goaway)
  }
}

/// The limits of open pushes, which all connections share.
final class PushBudget {
  let limits: GatewayLimits
  /// Memory of open pushes in bytes, roughly.
  var used = 0

  init(_ limits: GatewayLimits) { self.limits = limits }
}
