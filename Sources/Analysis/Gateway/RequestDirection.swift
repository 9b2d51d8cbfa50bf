import APNsWire
import WireBytes

/// A direction that carries gateway requests.
final class RequestDirection: RunDirection {
  private let rules: RequestRules
  private let connection: GatewayConnection
  private var decoder: RequestDecoder
  private var skips = SkipFindings()
  private(set) var records = 0

  var coveredOffset: Int { decoder.pendingSkip ?? decoder.undecidedOffset }

  /// - Parameter beginsStream: whether the first run begins where the stream does.
  init(rules: RequestRules, connection: GatewayConnection, offset: Int, beginsStream: Bool) {
    self.rules = rules
    self.connection = connection
    decoder = RequestDecoder(rules: rules, offset: offset, beginsStream: beginsStream)
  }

  func beginRun(at offset: Int) {
    decoder = RequestDecoder(rules: rules, offset: offset, beginsStream: false)
  }

  func endRun(of direction: DirectionAnalysis) throws {
    decoder.finish()
    try decode(RawSpan(), of: direction)
  }

  func decode(_ piece: RawSpan, of direction: DirectionAnalysis) throws {
    while true {
      switch decoder.next(in: piece) {
      case .request(let frame):
        if frame.window == .piece {
          try add(frame, in: piece, of: direction)
        } else {
          let held = decoder.held
          try add(frame, in: held.span.bytes, of: direction)
        }
      case .undecodable(let offset, let command):
        try findUndecodable(command, at: offset, in: direction)
      case .skipped(let offset, let length):
        try skips.skipped(offset: offset, length: length, of: "request", in: direction)
      case .truncated(let offset, let length):
        try skips.truncated(offset: offset, length: length, of: "request", in: direction)
      case .needsBytes:
        skips.remember(decoder.pendingSkip, in: direction)
        direction.trail.forget(before: decoder.undecidedOffset)
        return
      case .finished:
        return
      }
    }
  }

  private func add(_ frame: RequestFrame, in bytes: RawSpan, of direction: DirectionAnalysis) throws {
    guard let origin = direction.trail.origin(at: frame.offset) else { return }
    try direction.releaseEarly(before: frame.offset &+ 1)
    records &+= 1
    direction.log.summary.recordBytes &+= frame.length
    direction.log.summary.count(frame.flags)
    try connection.add(frame, in: bytes, origin: origin)
  }

  private func findUndecodable(_ command: UInt8, at offset: Int, in direction: DirectionAnalysis) throws {
    let limits = "lengths beyond the limits (--max-token-length, --max-payload)"
    let message =
      switch command {
      case 0: "a request with command 0 and \(limits), or both 0"
      case 1: "a request with command 1 and \(limits)"
      case 2: "a request with command 2 and a frame of more than \(RequestRules.longestItems) bytes"
      default: "expected a request's command, 0 to 2, and found \(command)"
      }
    try direction.find(
      command <= 2 ? .malformedFrame : .unknownCommand, offset: offset, length: 1,
      origin: direction.trail.origin(at: offset), message)
  }
}

/// A direction that carries error responses.
final class ResponseDirection: RunDirection {
  private let connection: GatewayConnection
  private var decoder: ResponseDecoder
  private var skips = SkipFindings()
  private(set) var records = 0

  var coveredOffset: Int { decoder.pendingSkip ?? decoder.undecidedOffset }

  /// - Parameter beginsStream: whether the first run begins where the stream does.
  init(connection: GatewayConnection, offset: Int, beginsStream: Bool) {
    self.connection = connection
    decoder = ResponseDecoder(offset: offset, beginsStream: beginsStream)
  }

  func beginRun(at offset: Int) {
    decoder = ResponseDecoder(offset: offset, beginsStream: false)
  }

  func endRun(of direction: DirectionAnalysis) throws {
    decoder.finish()
    try decode(RawSpan(), of: direction)
  }

  func decode(_ piece: RawSpan, of direction: DirectionAnalysis) throws {
    while true {
      switch decoder.next(in: piece) {
      case .response(let frame):
        guard let origin = direction.trail.origin(at: frame.offset) else { continue }
        try direction.releaseEarly(before: frame.offset &+ 1)
        records &+= 1
        direction.log.summary.recordBytes &+= ErrorResponse.length
        try connection.add(frame, origin: origin)
      case .undecodable(let offset, let command):
        try direction.find(
          .unknownCommand, offset: offset, length: 1, origin: direction.trail.origin(at: offset),
          "expected an error response's command, 8, and found \(command)")
      case .skipped(let offset, let length):
        try skips.skipped(offset: offset, length: length, of: "error response", in: direction)
      case .truncated(let offset, let length):
        try skips.truncated(offset: offset, length: length, of: "error response", in: direction)
      case .needsBytes:
        skips.remember(decoder.pendingSkip, in: direction)
        direction.trail.forget(before: decoder.undecidedOffset)
        return
      case .finished:
        return
      }
    }
  }
}
