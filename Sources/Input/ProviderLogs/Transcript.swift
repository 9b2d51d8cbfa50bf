import APNsWire

/// Reads transcripts, whose exchanges take several lines and interleave: `curl -v`, `nghttp -v`, Java
/// (docs/spec/provider-logs.md#transcripts).
///
/// A response is joined to a request only if that is certain. Otherwise it has no token, or no reason.
final class Transcript {
  /// A request, its response, or both.
  final class Exchange {
    /// Offset and number of the status line; before it is read, of the request's first line. Lines count from 1.
    fileprivate(set) var location: (offset: Int, line: Int)
    /// Nil for a request without a response.
    fileprivate var status: UInt16?
    /// The other values of its headers and body. Those of the response replace those of the request.
    fileprivate var values: [LogField: [UInt8]] = [:]
    /// nghttp: its stream.
    fileprivate let stream: Int?

    fileprivate init(at location: (offset: Int, line: Int), stream: Int? = nil) {
      (self.location, self.stream) = (location, stream)
    }

    fileprivate func put(_ field: LogField, _ value: some Collection<UInt8>) {
      if !value.isEmpty, value.count <= Transcript.mostBytes { values[field] = Array(value) }
    }

    func make(by push: LogPush) -> LogOutcome {
      values[.status] = status.map { Array("\($0)".utf8) }
      return Array(values.values.joined()).withUnsafeBytes { text in
        guard let start = text.baseAddress else { return .unrelated }
        var (found, end) = (LogValues(), 0)
        for (field, bytes) in values {
          let value = LogValue(.text, end, end &+ bytes.count)
          found.put(value, for: LogNames.Meaning(field: field, rank: LogNames.mappedRank), in: start)
          end &+= bytes.count
        }
        return push.make(found, of: start)
      }
    }
  }

  /// The maximum number of incomplete exchanges. A further one completes the oldest.
  private static let mostOpen = 4096
  /// The maximum size of a value, in bytes.
  private static let mostBytes = 2 << 10
  /// The fields of headers, besides path and status.
  private static let fields: [LogField] = [
    .apnsID, .uniqueID, .topic, .pushType, .priority, .expiration, .collapseID,
  ]

  private let names: LogNames
  /// Incomplete exchanges, the oldest first, and complete ones.
  private var exchanges: [Exchange] = []
  private var ready: [Exchange] = []
  /// Offset and number of the current line.
  private var location = (offset: 0, line: 0)
  /// What the current headers belong to, and the byte that each of their lines begins with.
  private var block: (mark: UInt8, exchange: Exchange)?
  /// curl: whether a body may belong to another response.
  private var areBodiesUncertain = false
  /// Whether several programs write at once, so that whose the lines are is not known: curl, another line came between those of
  /// a header block; nghttp, the clock went back.
  private var isMixed = false
  /// Whether an answer was lost by that since the last call of `takeLoss`.
  private var hasLost = false
  /// nghttp: when it printed the last frame, in milliseconds since its start.
  private var clock = 0
  /// curl: whether a response could not be joined, so that open requests may have been answered.
  private var areAnswersUncertain = false
  /// Java: the number of blocks of response headers without a status line. If it has always been one, that block.
  private var (headerBlocks, headers): (Int, Exchange?) = (0, nil)

  init(_ names: LogNames) { self.names = names }

  func takeLoss() -> Bool {
    defer { hasLost = false }
    return hasLost
  }

  func takeReady() -> Exchange? { ready.isEmpty ? nil : ready.removeFirst() }

  /// The log has ended: all exchanges are complete. Returns whether one was not.
  func finish() -> Bool {
    defer { exchanges = [] }
    ready += exchanges.filter { $0.status != nil || !areAnswersUncertain }
    return !exchanges.isEmpty
  }

  /// Whether a line can begin the first transcript of a log.
  static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = LogText(line)
    return text.begins("> POST /3/device/") || text.begins("INFO: REQUEST: ")
      || text.begins("[") && text.index(of: "send HEADERS frame <") != nil
  }

  /// Reads a line. Returns false if it is not part of a transcript.
  func read(_ line: UnsafeRawBufferPointer, offset: Int, number: Int) -> Bool {
    location = (offset, number)
    let text = LogText(line)
    if let (mark, exchange) = block, mark != UInt8(ascii: " "), mark != line.first || begins(text) {
      exchange.values = exchange.values.filter { $0.key == .path }
      if exchange.status != nil { remove(exchange) }
      mix(losing: true)
    }
    hasLost = hasLost || isMixed && (text.begins("< HTTP/") || text.index(of: ") :status: ") != nil)
    switch line.first {
    case UInt8(ascii: ">") where isMixed, UInt8(ascii: "<") where isMixed: return true
    case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: " "): return readCurl(text) || readHeader(text)
    case UInt8(ascii: "["): return readFrame(text)
    case UInt8(ascii: "{"): return readBody(text)
    case UInt8(ascii: "I") where text.begins("INFO: "): return readJava(text)
    default:
      block = nil
      return false
    }
  }

  private func mix(losing hasLost: Bool) {
    self.hasLost = self.hasLost || hasLost
    (isMixed, areAnswersUncertain, areBodiesUncertain, block) = (true, true, true, nil)
  }

  /// Reads a line of headers: a mark, then `name: value`, or nothing at their end.
  private func readHeader(_ text: LogText) -> Bool {
    guard let (mark, exchange) = block, mark == text.bytes.first else { return false }
    if let start = text.bytes.dropFirst().firstIndex(where: { $0 > 0x20 }) {
      takeHeader(text, from: start, of: exchange)
    } else if mark != UInt8(ascii: " ") {
      block = nil
      if exchange.status != nil { joinByID(exchange) }
    }
    return true
  }

  private func takeHeader(_ text: LogText, from start: Int, of exchange: Exchange) {
    guard let colon = text.index(of: ": ", from: start &+ 1),
      let end = text.bytes[(colon &+ 2)...].lastIndex(where: { $0 > 0x20 })
    else { return }
    let name = LogText(UnsafeRawBufferPointer(rebasing: text.bytes[start..<colon]))
    if name.isWhole(":path") {
      exchange.put(.path, text.bytes[(colon &+ 2)...end])
    } else if name.isWhole(":status"), let status = text.status(at: colon &+ 2) {
      // Of two, it is not known which is that of the request.
      if let other = exchange.status, other != status { remove(exchange) }
      if !Self.isInterim(status) { (exchange.status, exchange.location) = (status, location) }
    } else if let field = LogName(name.bytes).flatMap(names.meaning)?.field, Self.fields.contains(field) {
      exchange.put(field, text.bytes[(colon &+ 2)...end])
    }
  }

  private static func isInterim(_ status: UInt16) -> Bool { status < 200 }

  // MARK: - curl

  /// Reads a request line or a status line.
  private func readCurl(_ text: LogText) -> Bool {
    if text.begins("> POST "), let end = text.index(of: " HTTP/", from: 7) {
      // The response before has no body.
      if exchanges.count == 1, exchanges[0].status != nil { complete(exchanges[0]) }
      let path = text.bytes[7..<end]
      // A line that is cut, and the next one.
      if path.contains(UInt8(ascii: " ")) {
        areAnswersUncertain = true
        return true
      }
      begin(">").put(.path, path)
      return true
    }
    guard text.begins("< HTTP/"), let space = text.index(of: " ", from: 7),
      let status = text.status(at: space &+ 1)
    else { return false }
    if Self.isInterim(status) { return true }
    for answer in exchanges where answer.status != nil {
      areBodiesUncertain = true
      complete(answer)
    }
    begin("<").status = status
    return true
  }

  /// Whether a line is the first of a request or of a response.
  private func begins(_ text: LogText) -> Bool { text.begins("> POST ") || text.begins("< HTTP/") }

  /// Joins a response to its request: by the client's apns-id, or if only one request is open.
  private func joinByID(_ answer: Exchange) {
    let (id, open) = (answer.values[.apnsID], exchanges.filter { $0.status == nil })
    let named = open.filter { id != nil && $0.values[.apnsID] == id }
    let mayBeOnly = !areAnswersUncertain && (id == nil || open.first?.values[.apnsID] == nil)
    if let request = named.count == 1 ? named[0] : open.count == 1 && mayBeOnly ? open[0] : nil {
      answer.values.merge(request.values) { own, _ in own }
      remove(request)
    } else if open.count > 1 {
      areAnswersUncertain = true
    }
    // A response with status 200 has no body.
    if answer.status == 200 { complete(answer) }
  }

  // MARK: - nghttp

  /// Reads the first line of a frame, or a response header: `[  0.075] recv (stream_id=15) :status: 410`.
  /// - Parameter body: what is printed before it.
  private func readFrame(_ text: LogText, after body: LogText? = nil) -> Bool {
    block = nil
    if text.index(of: "] Connected") != nil { clock = 0 }
    guard let id = text.index(of: "stream_id="), let stream = text.number(at: id &+ 10) else { return false }
    noteClock(text)
    if isMixed { return true }
    let known = exchanges.first { $0.stream == stream }
    block = (UInt8(ascii: " "), known ?? Exchange(at: location))
    if text.index(of: "] send HEADERS frame <") != nil {
      // A new connection reuses the stream id.
      if let known { complete(known) }
      begin(" ", stream: stream)
    } else if text.index(of: "] recv (stream_id=") != nil {
      guard let known, let end = text.index(of: ") ", from: id) else { return false }
      takeHeader(text, from: end &+ 2, of: known)
    } else if let known, let received = text.index(of: "] recv ") {
      let data = text.index(of: "DATA frame <length=", from: received)
      if let body, let data, text.number(at: data &+ 19) == body.bytes.count { take(body, for: known) }
      let flags = (data ?? text.index(of: "HEADERS frame <")).flatMap { text.index(of: "flags=0x", from: $0) }
      let isLast = flags.flatMap { text.number(at: $0 &+ 9) }.map { $0 & 1 == 1 } ?? false
      if isLast || text.index(of: "RST_STREAM", from: received) != nil { complete(known) }
    }
    return true
  }

  /// The clock goes back only where a program begins, which prints that it is connected.
  private func noteClock(_ text: LogText) {
    let time = text.bytes.prefix { $0 != UInt8(ascii: "]") }.reduce(0) {
      0x30...0x39 ~= $1 ? $0 &* 10 &+ Int($1 &- 0x30) : $0
    }
    if time < clock, exchanges.contains(where: { $0.stream != nil }) {
      mix(losing: exchanges.contains { $0.stream != nil && $0.status != nil })
      exchanges.removeAll { $0.stream != nil }
    }
    clock = time
  }

  // MARK: - Bodies

  /// Reads `{"reason":"…"}`, after which the next line of the transcript may begin.
  private func readBody(_ text: LogText) -> Bool {
    guard text.begins("{\""), let end = text.bytes.firstIndex(of: UInt8(ascii: "}")) else { return false }
    let body = LogText(UnsafeRawBufferPointer(rebasing: text.bytes[...end]))
    let rest = LogText(UnsafeRawBufferPointer(rebasing: text.bytes[(end &+ 1)...]))
    if rest.begins("["), rest.index(of: "] recv DATA frame <") != nil { return readFrame(rest, after: body) }
    let answers = exchanges.filter { $0.status != nil }
    let isOfOne = answers.count == 1 && answers[0].stream == nil && block?.mark != UInt8(ascii: "<")
    if isOfOne, !areBodiesUncertain, take(body, for: answers[0]) { complete(answers[0]) }
    // A second body in the line belongs to no response, and could nest without end.
    let isRestRead =
      !rest.begins("{")
      && read(rest.bytes, offset: location.offset &+ body.bytes.count, number: location.line)
    return isOfOne || isRestRead
  }

  /// - Returns: whether the body fits the response's status.
  @discardableResult
  private func take(_ text: LogText, for answer: Exchange) -> Bool {
    guard let status = answer.status, let body = PushBody(0..<text.bytes.count, in: text.bytes.bytes),
      PushReason.status(of: body, in: text.bytes.bytes) ?? status == status
    else { return false }
    if let reason = body.reason { answer.put(.reason, text.bytes[reason]) }
    if let time = body.timestamp { answer.put(.invalidation, "\(time)".utf8) }
    return true
  }

  // MARK: - Java

  private func readJava(_ text: LogText) -> Bool {
    block = nil
    if text.begins("INFO: HEADERS: HEADERS FRAME (stream=") {
      begin(" ")
    } else if text.begins("INFO: HEADERS: RESPONSE HEADERS:") {
      let exchange = Exchange(at: location)
      (headerBlocks, headers) = (headerBlocks &+ 1, headerBlocks == 0 ? exchange : nil)
      block = (UInt8(ascii: " "), exchange)
    } else if text.begins("INFO: RESPONSE: (POST "), let path = text.range(after: "/3/device/", before: ") "),
      let status = text.status(at: path.upperBound &+ 2)
    {
      joinByPath(Array(text.bytes[(path.lowerBound &- 10)..<path.upperBound]), status)
    } else {
      return text.begins("INFO: REQUEST: ") && text.index(of: "/3/device/") != nil
    }
    return true
  }

  /// Joins a line with path and status to its request, and to the response headers before it if there was one block.
  private func joinByPath(_ path: [UInt8], _ status: UInt16) {
    let answer = headers.flatMap { $0.status == status ? $0 : nil } ?? Exchange(at: location)
    (headerBlocks, headers) = (max(0, headerBlocks &- 1), nil)
    (answer.status, answer.location) = (status, location)
    answer.put(.path, path)
    let same = exchanges.filter { $0.status == nil && $0.values[.path] == path }
    if same.count == 1 { answer.values.merge(same[0].values) { own, _ in own } }
    if let first = same.first { remove(first) }
    ready.append(answer)
  }

  // MARK: - Exchanges

  /// Begins an exchange with a block of headers.
  @discardableResult
  private func begin(_ mark: Unicode.Scalar, stream: Int? = nil) -> Exchange {
    if exchanges.count >= Self.mostOpen { complete(exchanges[0]) }
    let exchange = Exchange(at: location, stream: stream)
    exchanges.append(exchange)
    block = (UInt8(ascii: mark), exchange)
    return exchange
  }

  private func complete(_ exchange: Exchange) {
    remove(exchange)
    ready.append(exchange)
  }

  private func remove(_ exchange: Exchange) { exchanges.removeAll { $0 === exchange } }
}
