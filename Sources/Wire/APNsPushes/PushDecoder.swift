import APNsWire

/// One push: a request to `/3/device/TOKEN` and its response (docs/spec/pushes.md).
public struct Push: Equatable, Sendable {
  /// Nil if the request is not known, or its path does not end with an even number of hex digits.
  public var token: [UInt8]?
  public var topic: String?
  /// `apns-id`: of the response, else of the request.
  public var apnsID: String?
  /// The HTTP status, 200 to 999; nil if none is known. The absence of a response proves nothing.
  public var status: UInt16?
  public var reason: String?
  /// When the token became invalid, in milliseconds since 1970.
  public var timestamp: Int64?
  /// Empty if nothing is doubtful.
  public var flags: PushFlags
  /// The id of its stream in the connection.
  public var http2Stream: UInt32
  /// Offset of the first known byte in its direction, in bytes from 0; nil if none is known.
  public var requestOffset: Int?
  public var responseOffset: Int?

  init(_ fields: PushFields, _ request: FrameOrigin?, _ response: FrameOrigin?, in texts: RawSpan) {
    func bytes(_ name: PushFields.Text) -> [UInt8]? {
      fields[name].map { texts.extracting($0).withUnsafeBytes { Array($0) } }
    }
    func text(_ name: PushFields.Text) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
    (token, topic, apnsID, reason) = (bytes(.token), text(.topic), text(.apnsID), text(.reason))
    (status, timestamp, flags) = (fields.status, fields.timestamp, fields.flags)
    http2Stream = fields.http2Stream ?? 0
    (requestOffset, responseOffset) = (request?.offset, response?.offset)
  }
}

/// Decodes the pushes of one HTTP/2 connection in cleartext, from the bytes of both directions in chunks of any size.
///
///     var decoder = PushDecoder()
///     var found = Decoded<Push>()
///     for chunk in chunks { decoder.decode(chunk.bytes, from: chunk.sender, into: &found) }
///     decoder.finish(into: &found)
///
/// A push is there as soon as its request and response have ended. Other exchanges are not: broadcasts, and those of
/// other services. Without the library libnghttp2 no field is known: `rest` says so, and every push is flagged.
public struct PushDecoder: ~Copyable {
  private var client = FrameDecoder(.client)
  private var server = FrameDecoder(.server)
  private let connection: PushConnection

  /// Above a limit the oldest pushes end without their responses, which come later as pushes without a request.
  /// - Parameters:
  ///   - maxPending: the maximum number of pushes that wait for the end of their responses.
  ///   - memory: approximate bytes for them.
  public init(maxPending: Int = 1_000_000, memory: Int = 1 << 30) {
    connection = PushConnection(
      PushBudget(maxPending: maxPending, memory: memory), keepsPayloads: false, alone: nil)
  }

  /// Decodes a whole connection; in `records`, in the order in which the requests ended.
  public static func decode(client: [UInt8], server: [UInt8]) -> Decoded<Push> {
    var found = Decoded<Push>()
    var decoder = PushDecoder(maxPending: .max, memory: .max)
    // The server's settings say how long the client's frames may be.
    decoder.decode(server.span.bytes, from: .server, into: &found)
    decoder.decode(client.span.bytes, from: .client, into: &found)
    decoder.finish(into: &found)
    return found
  }

  /// Decodes the next bytes of a direction, and adds to `found` what they end. A response may precede its request.
  public mutating func decode(_ chunk: RawSpan, from direction: Direction, into found: inout Decoded<Push>) {
    let isClient = direction == .client
    while let step = isClient ? client.next(in: chunk) : server.next(in: chunk) {
      switch step {
      case .record(.opening): connection.begin(direction)
      case .record(.frame(let frame)):
        if let carry = isClient ? client.carry : server.carry {
          take(frame, in: carry.span.bytes, from: direction, into: &found)
        } else {
          take(frame, in: chunk, from: direction, into: &found)
        }
      case .between, .undecodable, .skipped, .truncated:
        cutBlock(of: direction, before: nil, into: &found)
        found.keepRest(of: step, from: direction)
        connection.gap(in: direction)
      }
      emitComplete(into: &found)
    }
  }

  /// Ends both directions: adds the pushes whose responses have not ended.
  public mutating func finish(into found: inout Decoded<Push>) {
    client.finish()
    server.finish()
    for direction in [Direction.server, .client] {
      decode(RawSpan(), from: direction, into: &found)
      cutBlock(of: direction, before: nil, into: &found)
    }
    connection.finish()
    emitComplete(into: &found)
  }

  private mutating func take(
    _ frame: Frame, in bytes: RawSpan, from direction: Direction, into found: inout Decoded<Push>
  ) {
    cutBlock(of: direction, before: frame, into: &found)
    let error = connection.take(
      frame, in: bytes, from: direction, at: FrameOrigin(offset: frame.offset, fileOffset: frame.offset))
    if let error {
      found.rest.append(
        UndecodedBytes(
          kind: error == .noLibrary ? .withoutLibrary : .unreadable, direction: direction,
          offset: frame.offset, length: frame.length))
    }
    guard frame.kind == .settings else { return }
    if let limit = connection.limit(of: .client) { client.allow(payload: limit) }
    if let limit = connection.limit(of: .server) { server.allow(payload: limit) }
  }

  /// The end of a header block is missing.
  private func cutBlock(of direction: Direction, before frame: Frame?, into found: inout Decoded<Push>) {
    guard let block = connection.cutBlock(in: direction, before: frame) else { return }
    found.rest.append(
      UndecodedBytes(
        kind: .truncated, direction: direction, offset: block.origin.offset, length: block.length))
  }

  private func emitComplete(into found: inout Decoded<Push>) {
    guard connection.hasComplete else { return }
    connection.removeComplete { fields, request, response, texts in
      if fields.service == .push { found.records.append(Push(fields, request, response, in: texts)) }
    }
  }
}
