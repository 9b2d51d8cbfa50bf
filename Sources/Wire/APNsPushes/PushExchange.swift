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
  /// The maximum length of a kept list of channels, in bytes. Those of the service have up to 10,000.
  private static let longestList = 1 << 20

  var id: UInt32 = 0
  var fields = PushFields()
  /// The texts of `fields`.
  var texts: [UInt8] = []
  var body: [UInt8] = []
  /// The body of the request, if it is needed.
  var payload: [UInt8] = []
  var payloadLength = 0
  /// Of the response, whether it is kept or not.
  private var bodyLength = 0
  var request = Half()
  var response = Half()
  /// Whether the path is of another service.
  var isOther = false
  var hasLostPath = false
  /// Whether a response header block with a status was read.
  var hasStatusBlock = false
  /// Whether a response header block was read, but its status is unknown.
  var hasLostStatus = false
  /// Whether that block has no unknown field.
  private(set) var isAnswerWhole = false
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
    (payloadLength, bodyLength) = (0, 0)
    (request, response) = (Half(), Half())
    (isOther, hasLostPath, hasStatusBlock, hasLostStatus) = (false, false, false, false)
    (isAnswerWhole, isCancelled, isBodyTooLong) = (false, false, false)
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
    let (path, method) = (headers[.path], headers[.method])
    let texts = takeTexts(&headers)
    guard let path else {
      hasLostPath = true
      isOther = !headers.hasLost
      if headers[.channelID] != nil {
        fields.service = .ofChannel(method.map { texts.range($0) }, in: self.texts)
      }
      return setTexts(headers, texts)
    }
    let found = ServiceRequest.find(
      texts.range(path), method: method.map { texts.range($0) }, in: self.texts.span.bytes)
    guard let found else {
      isOther = true
      return
    }
    fields.service = found.request
    setTexts(headers, texts)
    let subject = texts.valid(found.subject, in: self.texts)
    if found.request == .push {
      fields[.tokenText] = subject
      if subject == nil { fields.flags.insert(.tokenNotHex) }
    } else {
      fields[.app] = subject
    }
  }

  private mutating func setTexts(_ headers: HeaderFields, _ texts: TakenTexts) {
    fields[.pushType] = texts.valid(headers[.pushType], in: self.texts)
    if fields.service == .push {
      fields[.topic] = texts.valid(headers[.topic], in: self.texts)
      fields[.collapseID] = texts.valid(headers[.collapseID], in: self.texts)
      if fields[.apnsID] == nil { fields[.apnsID] = texts.valid(headers[.id], in: self.texts) }
      return
    }
    if let id = texts.valid(headers[.channelID], in: self.texts) { fields[.channelID] = id }
    if fields[.requestID] == nil { fields[.requestID] = texts.valid(headers[.requestID], in: self.texts) }
    let lacks = fields.service.required.contains { headers[$0] == nil }
    if lacks, !headers.hasLost { fields.flags.insert(.missingHeader) }
  }

  // MARK: - The response

  mutating func setResponse(_ headers: inout HeaderFields) {
    if headers.hasLost { fields.flags.insert(.unknownHeaders) }
    fields.status = headers.number(.status).flatMap { 200..<1000 ~= $0 ? UInt16($0) : nil }
    hasStatusBlock = headers[.status] != nil
    (hasLostStatus, isAnswerWhole) = (headers[.status] == nil, !headers.hasLost)
    let texts = takeTexts(&headers)
    if let id = texts.valid(headers[.id], in: self.texts) { fields[.apnsID] = id }
    fields[.uniqueID] = texts.valid(headers[.uniqueID], in: self.texts)
    if let id = texts.valid(headers[.requestID], in: self.texts) { fields[.requestID] = id }
    if fields[.channelID] == nil { fields[.channelID] = texts.valid(headers[.channelID], in: self.texts) }
  }

  /// The longest body that is kept: of an unknown request, that of a list.
  private var longestAnswer: Int {
    fields.service == .list || request.origin == nil || hasLostPath ? Self.longestList : Self.longestBody
  }

  /// Adds bytes of the response's body.
  mutating func appendBody(_ bytes: RawSpan) {
    guard !isOther else { return }
    bodyLength &+= bytes.byteCount
    guard !isBodyTooLong, body.count &+ bytes.byteCount <= longestAnswer else {
      isBodyTooLong = true
      return
    }
    bytes.withUnsafeBytes { body.append(contentsOf: $0) }
  }

  mutating func settleBody() {
    if fields.service.kind == .channel { fields.payloadLength = bodyLength }
    let lacksID = fields.service == .create && fields.status == 201 && fields[.channelID] == nil
    if lacksID, !fields.flags.contains(.unknownHeaders) { fields.flags.insert(.missingHeader) }
    // More may have been kept before the request was known.
    let isList = hasChannels && fields.service == .list
    if body.count > (isList ? Self.longestList : Self.longestBody) { isBodyTooLong = true }
    if hasChannels {
      guard !isBodyTooLong, !response.hasHole,
        let answer = ChannelBody(body, isList: isList)
      else { return flagUnreadBody() }
      return set(answer, in: body)
    }
    // The bodies of other answers without an error are not known.
    if fields.service.kind == .channel, fields.outcome == .accepted { return }
    guard !isBodyTooLong, let answer = PushBody(body.indices, in: body.span.bytes) else {
      return flagUnreadBody()
    }
    if fields.service == .push { fields.timestamp = answer.timestamp }
    if let reason = answer.reason { fields[.reason] = append(body[reason]) }
    if fields.status == nil, hasLostStatus || hasLostStart,
      let status = PushReason.status(of: answer, in: body.span.bytes)
    {
      fields.status = status
      fields.flags.insert(.statusInferred)
    }
  }

  /// Whether the answer has channels in place of a reason.
  private var hasChannels: Bool {
    (fields.service == .read || fields.service == .list) && fields.status == 200
  }

  /// Reads the body of a request that creates a channel.
  mutating func settleCreation() {
    if payload.count < payloadLength {
      fields.flags.insert(.bodyTooLong)
    } else if let channel = ChannelBody(payload, isList: false) {
      set(channel, in: payload)
    } else {
      fields.flags.insert(.malformedJSON)
    }
  }

  private mutating func set(_ channel: ChannelBody, in body: [UInt8]) {
    fields.storagePolicy = channel.policy
    fields.channels = channel.channels
    if let type = channel.pushType { fields[.pushType] = append(body[type]) }
    if channel.hasOddID { fields.flags.insert(.channelIDNotBase64) }
  }

  private mutating func flagUnreadBody() {
    // One side ended the stream.
    if !response.hasHole, response.isCut || isCancelled && !response.hasEnded { return }
    if response.hasHole || !response.hasEnded {
      // Each answer but 200 has a body, and some with 200.
      if let status = fields.status, status != 200 || hasChannels { fields.flags.insert(.bodyLost) }
    } else if isBodyTooLong, fields.service != .push {
      fields.flags.insert(.bodyTooLong)
    } else if !body.isEmpty || isBodyTooLong || hasChannels, !hasLostStart {
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

extension ServiceRequest {
  /// What a whole header block of the request has.
  fileprivate var required: [HeaderFields.Name] {
    switch self {
    case .push, .create, .list, .channel: []
    case .broadcast: [.channelID, .expiration, .priority, .pushType]
    case .read, .delete: [.channelID]
    }
  }

  /// That of a request with a channel id, whose path is not known: broadcasts have the method POST.
  fileprivate static func ofChannel(_ method: Range<Int>?, in texts: [UInt8]) -> ServiceRequest {
    method.map { PushText.matches($0, ServiceRequest.broadcast.method, in: texts.span.bytes) } == true
      ? .broadcast : .channel
  }
}
