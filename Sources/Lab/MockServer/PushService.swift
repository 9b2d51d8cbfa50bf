import Basics
import Conformance
import NIOCore
import NIOHPACK
import NIOHTTP2
import StreamInputs

/// Answers the pushes of one client over HTTP/2.
///
/// It answers complete requests. It counts and hashes the bytes of payloads, and does not keep them.
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

  private struct Request {
    var push: ReceivedPush
    let digest = InputHash()
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
  static func frames() -> NIOHTTP2Handler {
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
    case .rstStream: abandon(frame.streamID)
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    sendHeld()
    context.flush()
    closeIfDone()
  }

  private func begin(_ stream: HTTP2StreamID, _ headers: HPACKHeaders) {
    var push = ReceivedPush(client: client, http2Stream: Int(stream))
    push.method = headers.first(name: ":method") ?? ""
    push.path = headers.first(name: ":path") ?? ""
    push.headers = headers.lazy.filter { !$0.name.hasPrefix(":") }.map {
      ReceivedPush.Header(name: $0.name, value: $0.value)
    }
    open[stream] = Request(push: push)
  }

  private func received(_ data: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID) {
    open[stream]?.push.payloadLength += data.data.readableBytes
    if case .byteBuffer(let buffer) = data.data {
      buffer.withUnsafeReadableBytes { open[stream]?.digest.update($0.bytes) }
    }
    let size = data.data.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
    if size > 0 {
      write(.rootStream, .windowUpdate(windowSizeIncrement: size))
      if !data.endStream { write(stream, .windowUpdate(windowSizeIncrement: size)) }
    }
    if data.endStream { answer(stream) }
  }

  /// The client has reset a stream.
  private func abandon(_ stream: HTTP2StreamID) {
    guard let request = open.removeValue(forKey: stream) else { return }
    if silent.remove(stream) == nil { registry.received(request.push) }
  }

  // MARK: - Answers

  private func answer(_ stream: HTTP2StreamID) {
    guard !silent.contains(stream), let request = open[stream] else { return }
    var push = request.push
    push.payloadDigest = request.digest.hexDigest()
    var answer = PushAnswer.goaway
    if case .serving = state { answer = chosen(for: push, on: stream) }
    if case .leaving(let last) = state, stream <= last { answer = chosen(for: push, on: stream) }
    push.ending = .answered(answer)
    pushes += 1
    registry.received(push)
    if answer == .silence {
      silent.insert(stream)
      return
    }
    open[stream] = nil
    switch answer {
    case .response(let response): respond(response, to: push, on: stream)
    case .refuse: write(stream, .rstStream(.refusedStream))
    case .cancel: write(stream, .rstStream(.cancel))
    case .goaway: goAway()
    case .silence: break
    }
  }

  private func chosen(for push: ReceivedPush, on stream: HTTP2StreamID) -> PushAnswer {
    guard let token = push.token else { return .response(PushResponse(status: 404, reason: "BadPath")) }
    guard push.method == "POST" else {
      return .response(PushResponse(status: 405, reason: "MethodNotAllowed"))
    }
    if registry.configuration.isStrict, let refusal = StrictAnswers.refusal(of: push, token: token) {
      return .response(refusal)
    }
    let answer = answers.next(for: token)
    // GOAWAY cannot exclude a stream below an answered one.
    return answer == .goaway && stream < lastAnswered ? .refuse : answer
  }

  private func respond(_ response: PushResponse, to push: ReceivedPush, on stream: HTTP2StreamID) {
    lastAnswered = max(lastAnswered, stream)
    var headers = HPACKHeaders([
      (":status", String(response.status)),
      ("apns-id", push.header("apns-id") ?? response.apnsID ?? Self.uuid()),
    ])
    if let id = response.uniqueID { headers.add(name: "apns-unique-id", value: id) }
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
    for stream in open.keys.sorted() where !silent.contains(stream) {
      if let request = open[stream] { registry.received(request.push) }
    }
    report.pushes = pushes
  }
}
