import APNsWire
import Basics

/// Reads transcripts, whose exchanges take several lines and interleave: `curl -v`, `nghttp -v`, Java
/// (docs/spec/provider-logs.md#transcripts).
///
/// A response is joined to a request only if that is certain. Otherwise it has no token, or no reason.
final class Transcript {
  /// A request, its response, or both.
  final class Exchange {
    /// The concatenated values of its headers and body.
    var text: [UInt8] = []
    var values = LogValues()
    /// Location of the status line; before it is read, of the request's first line. Lines count from 1.
    var offset: Int
    var line: Int
    var status: UInt16?
    fileprivate var path: [UInt8] = []
    fileprivate var id: [UInt8] = []

    fileprivate init(offset: Int, line: Int) {
      self.offset = offset
      self.line = line
    }

    fileprivate func put(_ field: LogField, rank: UInt8, _ value: some Collection<UInt8>) {
      guard !value.isEmpty, text.count &+ value.count <= Transcript.mostBytes else { return }
      let start = text.count
      text.append(contentsOf: value)
      let logged = LogValue(.text, start, text.count)
      text.withUnsafeBytes { text in
        guard let base = text.baseAddress else { return }
        values.put(logged, for: LogNames.Meaning(field: field, rank: rank), in: base)
      }
    }
  }

  private enum Block { case none, request, response, other }

  /// The maximum number of open requests. A further request evicts the oldest.
  private static let mostOpen = 4096
  /// The maximum size of an exchange's text, in bytes.
  fileprivate static let mostBytes = 16 << 10

  private let names: LogNames
  /// Requests without a response, in order; those of nghttp have a stream id.
  private var open: [(stream: Int, exchange: Exchange)] = []
  /// Incomplete responses; those of nghttp have a stream id.
  private var answers: [(stream: Int, exchange: Exchange)] = []
  private var ready: [Exchange] = []
  private var block = Block.none
  /// curl: whether a body may belong to another response.
  private var areBodiesUncertain = false
  /// curl: whether a response could not be joined, so that open requests may have been answered.
  private var areAnswersUncertain = false
  /// Java: the last block of response headers, and the number of blocks since the last status line.
  private var headers: Exchange?
  private var headerBlocks = 0

  init(_ names: LogNames) { self.names = names }

  /// Whether requests or responses are incomplete.
  var isOpen: Bool { !answers.isEmpty || !open.isEmpty }

  /// Removes and returns the next complete exchange.
  func takeReady() -> Exchange? { ready.isEmpty ? nil : ready.removeFirst() }

  /// The log has ended: all exchanges are complete.
  func finish() {
    ready += answers.map(\.exchange)
    if !areAnswersUncertain { ready += open.map(\.exchange) }
    answers = []
    open = []
  }

  /// Whether a line can begin the first transcript of a log.
  static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first else { return false }
    return first == UInt8(ascii: ">") && LogText(text).begins("> POST /3/device/")
      || first == UInt8(ascii: "[") && LogText(text).index(of: "send HEADERS frame <") != nil
      || first == UInt8(ascii: "I") && LogText(text).begins("INFO: REQUEST: ")
  }

  /// Reads a line. Returns false if it is not part of a transcript.
  func read(_ line: UnsafeRawBufferPointer, offset: Int, number: Int) -> Bool {
    let text = LogText(line)
    guard let first = line.first else {
      block = .none
      return false
    }
    switch first {
    case UInt8(ascii: ">") where text.begins("> "): return readSent(text, offset, number)
    case UInt8(ascii: "<") where text.begins("< "): return readReceived(text, offset, number)
    case UInt8(ascii: "["): return readFrame(text, from: 0, offset, number)
    case UInt8(ascii: "{"): return readBody(text, offset, number)
    case UInt8(ascii: " "): return readHeader(text)
    case UInt8(ascii: "I") where text.begins("INFO: "): return readJava(text, offset, number)
    default:
      block = .none
      return false
    }
  }

  // MARK: - curl

  private func readSent(_ text: LogText, _ offset: Int, _ number: Int) -> Bool {
    if let path = text.range(after: "> POST ", before: " HTTP/"), path.lowerBound == 7 {
      // The response before has no body.
      if answers.count == 1, open.isEmpty { complete(0) }
      let exchange = Exchange(offset: offset, line: number)
      exchange.put(.path, rank: 3, text.bytes[path])
      add(exchange, stream: 0)
      block = .request
      return true
    }
    guard block == .request, let last = open.indices.last else { return false }
    put(text, from: 2, rank: 2, in: open[last].exchange)
    return true
  }

  private func readReceived(_ text: LogText, _ offset: Int, _ number: Int) -> Bool {
    if text.begins("< HTTP/"), let space = text.index(of: " ", from: 7),
      let status = text.status(at: space &+ 1)
    {
      guard status >= 200 else { return true }
      if !answers.isEmpty {
        areBodiesUncertain = true
        while !answers.isEmpty { complete(0) }
      }
      let exchange = Exchange(offset: offset, line: number)
      exchange.status = status
      exchange.put(.status, rank: 3, text.bytes[space &+ 1..<space &+ 4])
      answers.append((0, exchange))
      block = .response
      return true
    }
    guard block == .response, let last = answers.indices.last else { return false }
    if text.bytes.dropFirst(2).allSatisfy({ $0 <= 0x20 }) {
      block = .none
      join(last)
      // A response with status 200 has no body.
      if answers[last].exchange.status == 200 { complete(last) }
    } else {
      put(text, from: 2, rank: 3, in: answers[last].exchange)
    }
    return true
  }

  /// Joins a response to its request: by the client's apns-id, or if only one request is open.
  private func join(_ index: Int) {
    let id = answers[index].exchange.id
    let named = id.isEmpty ? nil : open.firstIndex { $0.exchange.id == id }
    guard let request = named ?? (open.count == 1 ? 0 : nil) else {
      if !open.isEmpty { areAnswersUncertain = true }
      return
    }
    if named == nil, areAnswersUncertain || !open[request].exchange.id.isEmpty && !id.isEmpty { return }
    answers[index].exchange = joined(open.remove(at: request).exchange, answers[index].exchange)
  }

  private func joined(_ request: Exchange, _ answer: Exchange) -> Exchange {
    (request.offset, request.line, request.status) = (answer.offset, answer.line, answer.status)
    for field in [LogField.status, .apnsID, .uniqueID, .reason, .invalidation]
    where answer.values[field].isText {
      request.put(field, rank: answer.values[field].rank, answer.text[answer.values[field].range])
    }
    return request
  }

  // MARK: - nghttp

  private func readFrame(_ text: LogText, from start: Int, _ offset: Int, _ number: Int) -> Bool {
    block = .other
    if let name = text.index(of: "] recv (stream_id=", from: start) {
      guard let stream = text.number(at: name &+ 18), let end = text.index(of: ") ", from: name &+ 18) else {
        return false
      }
      return readHeader(text, from: end &+ 2, of: stream, offset, number)
    }
    guard let mark = text.index(of: "stream_id=", from: start), let stream = text.number(at: mark &+ 10)
    else {
      block = .none
      return false
    }
    if text.index(of: "] send HEADERS frame <", from: start) != nil {
      // A new connection reuses the stream id.
      if let index = open.firstIndex(where: { $0.stream == stream }) {
        ready.append(open.remove(at: index).exchange)
      }
      add(Exchange(offset: offset, line: number), stream: stream)
      block = .request
    } else if text.index(of: "] recv ", from: start) != nil {
      let isEnd = text.index(of: "flags=0x", from: start).map { text.bytes[$0 &+ 9] & 1 == 1 } ?? false
      let isReset = text.index(of: "RST_STREAM", from: start) != nil
      if isReset, let index = open.firstIndex(where: { $0.stream == stream }) {
        addAnswer(open.remove(at: index).exchange, stream: stream)
      }
      let isWithFlags =
        text.index(of: "HEADERS frame", from: start) != nil
        || text.index(of: "DATA frame", from: start) != nil
      if isReset || isEnd && isWithFlags, let index = answers.firstIndex(where: { $0.stream == stream }) {
        complete(index)
      }
    }
    return true
  }

  /// Reads a response header such as `:status: 410`.
  private func readHeader(_ text: LogText, from start: Int, of stream: Int, _ offset: Int, _ number: Int)
    -> Bool
  {
    let index: Int
    if let known = answers.firstIndex(where: { $0.stream == stream }) {
      index = known
    } else {
      guard let request = open.firstIndex(where: { $0.stream == stream }) else { return false }
      addAnswer(open.remove(at: request).exchange, stream: stream)
      index = answers.count - 1
    }
    if text.begins(":status: ", at: start), let status = text.status(at: start &+ 9) {
      guard status >= 200 else {
        // An interim response.
        open.append(answers.remove(at: index))
        return true
      }
      answers[index].exchange.status = status
      (answers[index].exchange.offset, answers[index].exchange.line) = (offset, number)
    }
    put(text, from: start, rank: 3, in: answers[index].exchange)
    return true
  }

  /// Reads a header of the current frame or block.
  private func readHeader(_ text: LogText) -> Bool {
    guard let start = text.bytes.firstIndex(where: { $0 > 0x20 }) else { return false }
    switch block {
    case .none: return false
    case .request:
      guard let last = open.indices.last else { return false }
      put(text, from: start, rank: 2, in: open[last].exchange)
    case .response:
      guard let headers else { return false }
      put(text, from: start, rank: 3, in: headers)
    case .other: break
    }
    return true
  }

  // MARK: - Bodies

  /// Reads `{"reason":"…"}`, after which the next line of the transcript may begin.
  private func readBody(_ text: LogText, _ offset: Int, _ number: Int) -> Bool {
    guard text.begins("{\"") else {
      // `{ [5 bytes data]`
      return false
    }
    guard let end = text.bytes.firstIndex(of: UInt8(ascii: "}")).map({ $0 &+ 1 }) else { return false }
    let rest = UnsafeRawBufferPointer(rebasing: text.bytes[end...])
    let body = LogText(UnsafeRawBufferPointer(rebasing: text.bytes[..<end]))
    if LogText(rest).begins("["), let frame = LogText(rest).index(of: "recv DATA frame <length=") {
      let mark = LogText(rest).index(of: "stream_id=", from: frame).flatMap {
        LogText(rest).number(at: $0 &+ 10)
      }
      if let stream = mark, let index = answers.firstIndex(where: { $0.stream == stream }),
        LogText(rest).number(at: frame &+ 24) == end
      {
        take(body, for: index)
      }
      return readFrame(LogText(rest), from: 0, offset, number)
    }
    guard answers.count == 1, block != .response, answers[0].stream == 0 else { return false }
    if !areBodiesUncertain, take(body, for: 0) { complete(0) }
    // A second body in the line belongs to no response, and could nest without end.
    if !rest.isEmpty, rest[0] != UInt8(ascii: "{") { _ = read(rest, offset: offset &+ end, number: number) }
    return true
  }

  /// - Returns: whether the body fits the response's status.
  @discardableResult
  private func take(_ body: LogText, for index: Int) -> Bool {
    guard let answer = PushBody(0..<body.bytes.count, in: body.bytes.bytes) else { return false }
    if let status = PushReason.status(of: answer, in: body.bytes.bytes),
      status != answers[index].exchange.status
    {
      return false
    }
    if let reason = answer.reason { answers[index].exchange.put(.reason, rank: 3, body.bytes[reason]) }
    if let time = answer.timestamp {
      answers[index].exchange.put(.invalidation, rank: 3, Array("\(time)".utf8))
    }
    return true
  }

  // MARK: - Java

  private func readJava(_ text: LogText, _ offset: Int, _ number: Int) -> Bool {
    block = .none
    if text.begins("INFO: REQUEST: ") { return text.index(of: "/3/device/") != nil }
    if text.begins("INFO: HEADERS: HEADERS FRAME (stream=") {
      add(Exchange(offset: offset, line: number), stream: 0)
      block = .request
      return true
    }
    if text.begins("INFO: HEADERS: RESPONSE HEADERS:") {
      headers = Exchange(offset: offset, line: number)
      headerBlocks &+= 1
      block = .response
      return true
    }
    guard text.begins("INFO: RESPONSE: (POST "), let path = text.range(after: "/3/device/", before: ") "),
      let status = text.status(at: path.upperBound &+ 2)
    else { return false }
    answer(text, path.lowerBound &- 10..<path.upperBound, status, offset, number)
    return true
  }

  /// Reads a line with path and status. The response headers before it belong to it only if there was one
  /// block of them.
  private func answer(_ text: LogText, _ path: Range<Int>, _ status: UInt16, _ offset: Int, _ number: Int) {
    let answer = Exchange(offset: offset, line: number)
    answer.status = status
    let digits = path.upperBound &+ 2
    answer.put(.status, rank: 3, text.bytes[digits..<digits &+ 3])
    if let headers, headerBlocks == 1, headers.status == status, headers.values[.apnsID].isText {
      answer.put(.apnsID, rank: 3, headers.text[headers.values[.apnsID].range])
      if headers.values[.uniqueID].isText {
        answer.put(.uniqueID, rank: 3, headers.text[headers.values[.uniqueID].range])
      }
    }
    headerBlocks = max(0, headerBlocks &- 1)
    if headerBlocks == 0 { headers = nil }
    let same = open.indices.filter { open[$0].exchange.path.elementsEqual(text.bytes[path]) }
    if same.count == 1 {
      ready.append(joined(open.remove(at: same[0]).exchange, answer))
    } else {
      answer.put(.path, rank: 3, text.bytes[path])
      ready.append(answer)
      if let first = same.first { open.remove(at: first) }
    }
  }

  // MARK: - Exchanges

  private func add(_ exchange: Exchange, stream: Int) {
    if open.count >= Self.mostOpen { ready.append(open.removeFirst().exchange) }
    open.append((stream, exchange))
  }

  private func addAnswer(_ exchange: Exchange, stream: Int) {
    if answers.count >= Self.mostOpen { complete(0) }
    answers.append((stream, exchange))
  }

  private func complete(_ index: Int) { ready.append(answers.remove(at: index).exchange) }

  /// Reads a header `name: value`.
  private func put(_ text: LogText, from start: Int, rank: UInt8, in exchange: Exchange) {
    guard let colon = text.index(of: ": ", from: start &+ 1) else { return }
    var end = text.bytes.count
    while end > colon, text.bytes[end &- 1] <= 0x20 { end &-= 1 }
    let value = text.bytes[min(colon &+ 2, end)..<end]
    guard let name = LogName(UnsafeRawBufferPointer(rebasing: text.bytes[start..<colon])),
      let meaning = names.meaning(of: name), Self.fields.contains(meaning.field)
    else { return }
    if meaning.field == .path { exchange.path = Array(value) }
    if meaning.field == .apnsID { exchange.id = Array(value) }
    if meaning.field == .status, exchange.status == nil { exchange.status = text.status(at: colon &+ 2) }
    exchange.put(meaning.field, rank: rank, value)
  }

  /// The fields of headers.
  private static let fields: [LogField] = [
    .path, .status, .apnsID, .uniqueID, .topic, .pushType, .priority, .expiration, .collapseID,
  ]
}
