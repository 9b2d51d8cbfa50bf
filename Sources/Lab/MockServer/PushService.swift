import Basics
import Conformance
import NIOCore
import NIOHPACK
import NIOHTTP2
import StreamInputs

/// Answers the requests of one client over HTTP/2: pushes, broadcasts, and those for channels.
///
/// It answers complete requests. It counts and hashes the bytes of payloads, and keeps only those that create a channel.
final class PushService: ServedSession, ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private enum GoAwayState {
    case serving
    /// After a GOAWAY: requests up to `last` are still answered.
    case leaving(last: HTTP2StreamID)
    /// No more answers: waiting for the client to close.
    case closing
  }

  private static let mostStreams = 1000
  private static let largestHeaders = 1 << 16

  /// Bytes of a body that is kept.
  private static let longestBody = 4096

  private struct Request {
    var received: ReceivedRequest
    let digest = InputHash()
    /// Of a request that creates a channel.
    var body: [UInt8] = []
    /// For an answer that comes later.
    var timer: Scheduled<Void>?

    mutating func add(_ bytes: RawSpan) {
      received.payloadLength += bytes.byteCount
      digest.update(bytes)
      let isKept = received.kind == .create && received.payloadLength <= PushService.longestBody
      if isKept { bytes.withUnsafeBytes { body.append(contentsOf: $0) } }
    }
  }

  private let answers: PushAnswers
  private var state = GoAwayState.serving
  /// Requests that are not answered yet.
  private var open: [HTTP2StreamID: Request] = [:]
  /// Those that get no answer on purpose.
  private var silent: Set<HTTP2StreamID> = []
  /// Answers to the requests that came together, if they are shuffled.
  private var held: [(stream: HTTP2StreamID, headers: HPACKHeaders, body: String)] = []
  private var lastAnswered = HTTP2StreamID.rootStream
  private var pushes = 0

  init(registry: ClientRegistry, transport: TransportHandler, answers: PushAnswers) {
    self.answers = answers
    super.init(registry: registry, transport: transport)
  }

  /// Raises the limits against floods of frames: a mock server trusts its clients.
  private static func frames() -> NIOHTTP2Handler {
    var connection = NIOHTTP2Handler.ConnectionConfiguration()
    connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: mostStreams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: largestHeaders),
    ]
    connection.contentLengthValidation = .disabled
    connection.maximumSequentialEmptyDataFrames = 1000
    connection.controlFrameRateLimit.maximumCount = 1_000_000
    var stream = NIOHTTP2Handler.StreamConfiguration()
    stream.streamResetFrameRateLimit.maximumCount = 1_000_000
    stream.streamErrorRateLimit.maximumCount = 1_000_000
    return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
  }

  // MARK: - The connection

  override func prepare(client: Int) -> String { "pushes" }

  override func serve() {
    // Not earlier: it sends SETTINGS, which a client that is rejected must not get. It fails only if the client has left.
    try? context?.pipeline.syncOperations.addHandler(Self.frames(), position: .before(self))
  }

  override func disconnected() { inputEnded() }

  override func inputEnded() {
    if open.keys.allSatisfy({ silent.contains($0) }) {
      complete(byClient: true)
    } else {
      close(.clientClosed) { context?.close(promise: nil) }
    }
  }

  override func failed(_ error: any Error) {
    // An invalid request: the library resets its stream.
    if error is NIOHTTP2Errors.StreamError { return }
    let isGone = error.isReset || error is ChannelError
    switch state {
    // All requests are answered. The library reports later frames as errors, and many clients reset the
    // connection without reading the closing TLS alert.
    case .closing: inputEnded()
    case .leaving where !isGone:
      // The library may report frames above the last stream id as errors. A reset could keep the GOAWAY
      // from the client.
      state = .closing
      sendHeld()
      context?.flush()
      context?.close(mode: .output, promise: nil)
    case .serving, .leaving:
      if isGone { return end(.clientReset) }
      let isOther = error is NIOHTTP2Errors.BadClientMagic
      end(.failed(isOther ? Self.isNoHTTP2 : error.http2Reason))
    }
  }

  private static let isNoHTTP2: Message =
    "the client did not begin with HTTP/2: it must use prior knowledge (no upgrade), or TLS with --tls"

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isServing else { return }
    progress()
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers):
      if open[frame.streamID] == nil { begin(frame.streamID, headers.headers) }
      if headers.endStream { answer(frame.streamID) }
    case .data(let data): received(data, on: frame.streamID)
    case .rstStream:
      guard let request = open.removeValue(forKey: frame.streamID) else { return }
      request.timer?.cancel()
      if silent.remove(frame.streamID) == nil { registry.emit(.received(request.received)) }
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    sendHeld()
    context.flush()
    closeIfDone()
  }

  private func begin(_ stream: HTTP2StreamID, _ headers: HPACKHeaders) {
    open[stream] = Request(
      received: ReceivedRequest(
        client: client, peer: peer, http2Stream: Int(stream), method: headers.first(name: ":method") ?? "",
        path: headers.first(name: ":path") ?? "",
        headers: headers.lazy.filter { !$0.name.hasPrefix(":") }.map {
          ReceivedRequest.Header(name: $0.name, value: $0.value)
        }))
  }

  private func received(_ data: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID) {
    if case .byteBuffer(let buffer) = data.data {
      buffer.withUnsafeReadableBytes { open[stream]?.add($0.bytes) }
    }
    let size = data.data.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
    if size > 0 {
      write(.rootStream, .windowUpdate(windowSizeIncrement: size))
      if !data.endStream { write(stream, .windowUpdate(windowSizeIncrement: size)) }
    }
    if data.endStream { answer(stream) }
  }

  // MARK: - Answers

  private func answer(_ stream: HTTP2StreamID) {
    guard !silent.contains(stream), var request = open[stream], request.timer == nil else { return }
    request.received.payloadDigest = request.digest.hexDigest()
    if request.received.kind == .create {
      request.received.storagePolicy = ChannelStore.policy(in: request.body)
    }
    let chosen = isExcluded(stream) ? .goaway : chosen(for: request.received)
    if case .late(let answer, let milliseconds) = chosen, let loop = context?.eventLoop {
      request.timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(milliseconds))) {
        self.giveLate(answer, on: stream)
      }
      open[stream] = request
    } else {
      give(chosen, to: request, on: stream)
    }
  }

  private func giveLate(_ answer: PushAnswer, on stream: HTTP2StreamID) {
    guard isServing, let request = open[stream] else { return }
    give(isExcluded(stream) ? .goaway : answer, to: request, on: stream)
    progress()
    sendHeld()
    context?.flush()
    closeIfDone()
  }

  /// Whether a GOAWAY has excluded it.
  private func isExcluded(_ stream: HTTP2StreamID) -> Bool {
    switch state {
    case .serving: false
    case .leaving(let last): stream > last
    case .closing: true
    }
  }

  private func give(_ given: PushAnswer, to request: Request, on stream: HTTP2StreamID) {
    // GOAWAY cannot exclude a stream below an answered one.
    var answer = given == .goaway && stream < lastAnswered && !isExcluded(stream) ? .refuse : given
    var received = request.received
    if answer == .accepted, received.isOfApp {
      answer = .response(registry.channels.answer(&received, body: request.body))
    }
    received.ending = .answered(answer)
    pushes += 1
    if answer == .silence { silent.insert(stream) } else { open[stream] = nil }
    switch answer {
    case .response(let response):
      received.answerHeaders = Self.headers(of: response, to: received)
      registry.emit(.received(received))
      return respond(response, received.answerHeaders, on: stream)
    case .refuse: write(stream, .rstStream(.refusedStream))
    case .cancel: write(stream, .rstStream(.cancel))
    case .goaway: goAway()
    case .silence, .late: break
    }
    registry.emit(.received(received))
  }

  /// The rules come first, then the answers that were demanded, then the channels.
  private func chosen(for received: ReceivedRequest) -> PushAnswer {
    guard let kind = received.kind else { return Self.refusal(404, "BadPath") }
    guard kind == .push else {
      if let refusal = Refusals.refusal(of: received) { return .response(refusal) }
      let isTooLong = kind == .create && received.payloadLength > Self.longestBody
      return isTooLong ? Self.refusal(413, "PayloadTooLarge") : answers.next(kind)
    }
    guard received.method == "POST" else { return Self.refusal(405, "MethodNotAllowed") }
    if registry.configuration.isStrict {
      if let refusal = Refusals.refusal(of: received) { return .response(refusal) }
      guard answers.isFor(received.header("apns-topic") ?? "", token: received.subject) else {
        return Self.refusal(400, "DeviceTokenNotForTopic")
      }
    }
    return answers.next(for: received.subject)
  }

  private static func refusal(_ status: Int, _ reason: String) -> PushAnswer {
    .response(PushResponse(status: status, reason: reason))
  }

  /// Those of a response, without `:status`.
  private static func headers(
    of response: PushResponse, to request: ReceivedRequest
  ) -> [ReceivedRequest.Header] {
    let name = request.isOfApp ? "apns-request-id" : "apns-id"
    let isSent = request.kind == .broadcast && response.status == 200
    let fields: [(String, String?)] = [
      (name, request.header(name) ?? response.apnsID ?? uuid()),
      ("apns-unique-id", response.uniqueID ?? (isSent ? uuid() : nil)),
      ("apns-channel-id", response.channelID), ("retry-after", response.retryAfter.map(String.init)),
    ]
    return fields.compactMap { name, value in value.map { ReceivedRequest.Header(name: name, value: $0) } }
  }

  private func respond(
    _ response: PushResponse, _ fields: [ReceivedRequest.Header], on stream: HTTP2StreamID
  ) {
    lastAnswered = max(lastAnswered, stream)
    var headers = HPACKHeaders([(":status", String(response.status))])
    for field in fields { headers.add(name: field.name, value: field.value) }
    if registry.configuration.shufflesAnswers {
      held.append((stream, headers, response.body))
    } else {
      send(headers, response.body, on: stream)
    }
  }

  private func sendHeld() {
    for answer in held.reversed() { send(answer.headers, answer.body, on: answer.stream) }
    held.removeAll(keepingCapacity: true)
  }

  /// Sends a body in one frame, or in two if answers are shuffled: few clients expect that, and all must take it.
  private func send(_ headers: HPACKHeaders, _ body: String, on stream: HTTP2StreamID) {
    write(stream, .headers(.init(headers: headers, endStream: body.isEmpty)))
    guard !body.isEmpty, let context else { return }
    var buffer = context.channel.allocator.buffer(string: body)
    if registry.configuration.shufflesAnswers, let start = buffer.readSlice(length: body.utf8.count / 2) {
      write(stream, .data(.init(data: .byteBuffer(start))))
    }
    write(stream, .data(.init(data: .byteBuffer(buffer), endStream: true)))
  }

  private static func uuid() -> String {
    let digits = (0..<32).map { _ in String(UInt8.random(in: 0..<16), radix: 16, uppercase: true) }
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }
    return groups.joined(separator: "-")
  }

  private func goAway() {
    guard case .serving = state, let context else { return }
    let reason = context.channel.allocator.buffer(string: PushResponse(status: 503, reason: "Shutdown").body)
    write(.rootStream, .goAway(lastStreamID: lastAnswered, errorCode: .noError, opaqueData: reason))
    state = .leaving(last: lastAnswered)
  }

  private func write(_ stream: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
    context?.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
  }

  // MARK: - The end

  /// After a GOAWAY, closes once all remaining requests are answered.
  private func closeIfDone() {
    guard isServing, case .leaving(let last) = state,
      !open.keys.contains(where: { $0 <= last && !silent.contains($0) })
    else { return }
    state = .closing
    context?.close(mode: .output, promise: nil)
  }

  override func wasIdle() {
    // The client may wait for them.
    if open.contains(where: { $1.timer != nil && !silent.contains($0) }) { return }
    switch state {
    case .serving:
      goAway()
      context?.flush()
      closeIfDone()
    case .leaving, .closing: complete(byClient: false)
    }
  }

  /// Requests without an answer were abandoned.
  override func willEnd() {
    for (stream, request) in open.sorted(by: { $0.key < $1.key }) where !silent.contains(stream) {
      request.timer?.cancel()
      registry.emit(.received(request.received))
    }
    report.pushes = pushes
  }
}
