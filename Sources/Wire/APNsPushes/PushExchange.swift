import APNsWire
import Basics

package struct FrameOrigin: BitwiseCopyable {
  /// Offset of its first byte in its direction, in bytes from 0, gaps included.
  package var offset: Int
  /// Offset of that byte in the input, and the packet that contains it.
  package var fileOffset: Int
  package var packet: PacketReference?

  package init(offset: Int, fileOffset: Int, packet: PacketReference? = nil) {
    (self.offset, self.fileOffset, self.packet) = (offset, fileOffset, packet)
  }
}

/// The known parts of a request and its response. Reused for later exchanges of the connection.
struct PushExchange {
  struct Half {
    var origin: FrameOrigin?
    /// Whether END_STREAM or RST_STREAM has ended it, and whether it was RST_STREAM.
    var hasEnded = false
    var isCut = false
    /// The direction's gap count at the last frame of this half.
    var gaps = 0
    /// Whether part of the body may be missing, after a gap or an unreadable frame.
    var hasHole = false

    mutating func begin(at origin: FrameOrigin, _ gaps: Int) { (self.origin, self.gaps) = (origin, gaps) }

    mutating func end(_ gaps: Int) {
      if self.gaps != gaps { hasHole = true }
      hasEnded = true
    }
  }

  /// The maximum length of a kept response body, in bytes. Those of the service are below 100.
  static let longestBody = 4096
  /// The maximum length of a kept payload, in bytes. The service accepts up to 5120.
  static let longestPayload = 1 << 16
  private static let pathStart: StaticString = "/3/device/"

  var id: UInt32 = 0
  var fields = PushFields()
  /// The texts of `fields`.
  var texts: [UInt8] = []
  var body: [UInt8] = []
  /// The body of the request, if it is needed.
  var payload: [UInt8] = []
  var payloadLength = 0
  var request = Half()
  var response = Half()
  /// Whether the path is not that of a push.
  var isOther = false
  var hasLostPath = false
  /// Whether a response header block with a status was read.
  var hasStatusBlock = false
  /// Whether a response header block was read, but its status is unknown.
  var hasLostStatus = false
  var isCancelled = false
  var isBodyTooLong = false

  /// The part of `cost` that is in the budget.
  var counted = 0

  /// The first known frame of the request, else of the response.
  var firstFrame: (origin: FrameOrigin, direction: Direction)? {
    if let origin = request.origin { return (origin, .client) }
    return response.origin.map { ($0, .server) }
  }

  /// Approximate memory in bytes.
  var cost: Int { 512 &+ texts.count &+ body.count &+ payload.count }

  /// Resets it for another stream, and frees long buffers.
  mutating func begin(_ id: UInt32) {
    self.id = id
    fields = PushFields()
    fields.http2Stream = id
    texts.removeAll(keepingCapacity: true)
    body.removeAll(keepingCapacity: true)
    payload.removeAll(keepingCapacity: true)
    payloadLength = 0
    (request, response) = (Half(), Half())
    (isOther, hasLostPath, hasStatusBlock, hasLostStatus) = (false, false, false, false)
    (isCancelled, isBodyTooLong) = (false, false)
  }

  /// Frees buffers that most exchanges do not need.
  mutating func freeLongBuffers() {
    if texts.capacity > Self.longestBody { texts = [] }
    if body.capacity > Self.longestBody { body = [] }
    if payload.capacity > Self.longestBody { payload = [] }
  }

  // MARK: - The request

  mutating func setRequest(_ headers: inout HeaderFields) {
    if headers.hasLost { fields.flags.insert(.unknownHeaders) }
    fields.priority = headers.number(.priority).flatMap { UInt8(exactly: $0) }
    fields.expiration = headers.number(.expiration)
    let path = headers[.path]
    let texts = takeTexts(&headers)
    guard let path = path.map({ texts.range($0) }) else {
      hasLostPath = true
      isOther = !headers.hasLost
      return setTexts(headers, texts)
    }
    guard hasPathStart(path) else {
      isOther = true
      return
    }
    let token = path.lowerBound &+ Self.pathStart.utf8CodeUnitCount..<path.upperBound
    fields[.tokenText] = texts.valid(token, in: self.texts)
    if fields[.tokenText] == nil { fields.flags.insert(.tokenNotHex) }
    setTexts(headers, texts)
  }

  private mutating func setTexts(_ headers: HeaderFields, _ texts: TakenTexts) {
    fields[.topic] = texts.valid(headers[.topic], in: self.texts)
    fields[.pushType] = texts.valid(headers[.pushType], in: self.texts)
    fields[.collapseID] = texts.valid(headers[.collapseID], in: self.texts)
    if fields[.apnsID] == nil { fields[.apnsID] = texts.valid(headers[.id], in: self.texts) }
  }

  private func hasPathStart(_ path: Range<Int>) -> Bool {
    let length = Self.pathStart.utf8CodeUnitCount
    return path.count >= length
      && PushText.matches(path.lowerBound..<path.lowerBound &+ length, Self.pathStart, in: texts.span.bytes)
  }

  // MARK: - The response

  mutating func setResponse(_ headers: inout HeaderFields) {
    if headers.hasLost { fields.flags.insert(.unknownHeaders) }
    fields.status = headers.number(.status).flatMap { 200..<1000 ~= $0 ? UInt16($0) : nil }
    hasStatusBlock = headers[.status] != nil
    hasLostStatus = headers[.status] == nil
    let texts = takeTexts(&headers)
    if let id = texts.valid(headers[.id], in: self.texts) { fields[.apnsID] = id }
    fields[.uniqueID] = texts.valid(headers[.uniqueID], in: self.texts)
  }

  /// Adds bytes of the response's body.
  mutating func appendBody(_ bytes: RawSpan) {
    guard !isOther, bytes.byteCount > 0 else { return }
    guard body.count &+ bytes.byteCount <= Self.longestBody else {
      isBodyTooLong = true
      return
    }
    bytes.withUnsafeBytes { body.append(contentsOf: $0) }
  }

  mutating func settleBody() {
    guard !isBodyTooLong, let answer = PushBody(body.indices, in: body.span.bytes) else {
      return flagUnreadBody()
    }
    fields.timestamp = answer.timestamp
    if let reason = answer.reason { fields[.reason] = append(body[reason]) }
    if fields.status == nil, hasLostStatus || hasLostStart,
      let status = PushReason.status(of: answer, in: body.span.bytes)
    {
      fields.status = status
      fields.flags.insert(.statusInferred)
    }
  }

  private mutating func flagUnreadBody() {
    // One side ended the stream.
    if !response.hasHole, response.isCut || isCancelled && !response.hasEnded { return }
    if response.hasHole || !response.hasEnded {
      // Each answer but 200 has a body.
      if let status = fields.status, status != 200 { fields.flags.insert(.bodyLost) }
    } else if !body.isEmpty || isBodyTooLong, !hasLostStart {
      fields.flags.insert(.malformedJSON)
    }
  }

  /// Whether the first header block of the response is missing.
  private var hasLostStart: Bool { !hasStatusBlock && !hasLostStatus }

  // MARK: - Texts

  mutating func append(_ text: some Collection<UInt8>) -> Range<Int> {
    let start = texts.count
    texts.append(contentsOf: text)
    return start..<texts.count
  }

  /// Header values that were moved to `texts`.
  private struct TakenTexts {
    /// Index of their first byte.
    var start: Int
    var areASCII: Bool

    func range(_ range: Range<Int>) -> Range<Int> { range.lowerBound &+ start..<range.upperBound &+ start }

    /// The range of a value in `texts`; nil if it is not UTF-8.
    func valid(_ text: Range<Int>?, in texts: [UInt8]) -> Range<Int>? {
      text.flatMap { valid(range($0), in: texts) }
    }

    func valid(_ text: Range<Int>, in texts: [UInt8]) -> Range<Int>? {
      areASCII || UTF8Text.isValid(text, in: texts.span.bytes) ? text : nil
    }
  }

  /// Moves the values of a header block to `texts`.
  private mutating func takeTexts(_ headers: inout HeaderFields) -> TakenTexts {
    let areASCII = headers.bytes.withUnsafeBytes { $0.reduce(0, |) } < 0x80
    let start = texts.count
    if start == 0 { swap(&texts, &headers.bytes) } else { texts.append(contentsOf: headers.bytes) }
    return TakenTexts(start: start, areASCII: areASCII)
  }
}
