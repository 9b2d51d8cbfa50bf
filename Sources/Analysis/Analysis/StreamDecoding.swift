import APNsWire
import Basics
import APNsPushes
import PacketCapture

extension FeedbackDecoder: DirectionDecoder {
  var content: DirectionContent { .feedback }

  /// Emits a run of feedback records, cut at findings of the source.
  func emit(
    _ run: RecordRun, in bytes: RawSpan, at location: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    let log = analysis.log
    let needsExtents = log.needs.contains(.extents)
    let run = analysis.marked(run, of: direction)
    log.summary.count(run)
    direction.records &+= run.count
    var done = 0
    while done < run.count {
      let offset = run.offset &+ done &* run.stride
      guard let origin = direction.trail.origin(at: offset) else { return }
      let end = try min(
        run.offset &+ run.count &* run.stride, analysis.emitPending(through: offset, of: &direction))
      var count = max(1, (end &- offset &+ run.stride &- 1) / run.stride)
      var flags = run.flags
      if let range = direction.extras?.uncertainRange(after: offset) {
        count = max(1, min(count, (range.lowerBound &- offset) / run.stride))
        if range.lowerBound < offset &+ run.stride {
          flags.insert(.conflictingBytes)
          log.summary.count(.conflictingBytes)
        }
      }
      // Of joined captures, the file of a record is that of its first byte.
      if log.currentInput > 0 {
        let others = direction.trail.extents(after: offset, before: offset &+ count &* run.stride)
        if let other = others.first(where: { $0.packet?.input != origin.packet?.input }) {
          count = min(count, (other.streamOffset &- offset &+ run.stride &- 1) / run.stride)
        }
      }
      var slice = run.slice(from: done, count: count)
      slice.flags = flags
      var records = FeedbackRecords(
        labels: analysis.labels(input: origin.packet?.input ?? 0),
        direction: analysis.role(of: direction.side), run: slice, origin: origin)
      if needsExtents {
        records.laterExtents = direction.trail.extents(
          after: offset, before: slice.offset &+ slice.count &* slice.stride)
      }
      try log.add(records, in: bytes, at: location)
      try analysis.excerpts(of: direction.side)?.note(slice, in: log)
      done &+= count
    }
  }
}

extension RequestDecoder: DirectionDecoder {
  var content: DirectionContent { .requests }

  func emit(
    _ frame: RequestFrame, in bytes: RawSpan, at location: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    var frame = frame
    guard let origin = try analysis.begin(frame.offset, frame.length, &frame.flags, of: &direction) else {
      return
    }
    analysis.log.summary.count(frame.flags)
    // Without `==`, which another module has.
    if case .dump = analysis.identity.serverEvidence {
      return try analysis.emitAlone(frame, origin, in: bytes, at: location)
    }
    let order = analysis.captureOrder(of: frame.offset, origin, from: .client)
    try analysis.gateway?.value.add(frame, in: bytes, origin: origin, captureOrder: order) {
      try analysis.emit($0)
    }
  }
}

extension ResponseDecoder: DirectionDecoder {
  var content: DirectionContent { .responses }

  func emit(
    _ frame: ResponseFrame, in _: RawSpan, at _: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    var frame = frame
    guard
      let origin = try analysis.begin(frame.offset, ErrorResponse.length, &frame.flags, of: &direction)
    else { return }
    let order = analysis.captureOrder(of: frame.offset, origin, from: .server)
    analysis.gateway?.value.add(frame, origin: origin, captureOrder: order)
  }
}

extension FrameDecoder: DirectionDecoder {
  var content: DirectionContent { .http2 }

  func emit(
    _ record: FrameRecord, in bytes: RawSpan, at _: ChunkLocation?, by analysis: StreamAnalysis,
    of direction: inout DirectionAnalysis
  ) throws {
    switch record {
    case .frame(let frame): try analysis.take(frame, in: bytes, of: &direction)
    case .opening(let offset, let length):
      analysis.log.summary.recordBytes &+= length
      analysis.pushes?.begin(analysis.role(of: direction.side))
      try analysis.emitPending(before: offset &+ 1, of: &direction)
    }
  }
}

/// Emits what the decoder of a direction finds.
extension StreamAnalysis {
  /// Adds the flags of the stream, and flags carved records. The last one of a chain is unconfirmed: the bytes after its
  /// first ones may be foreign.
  fileprivate func marked(_ run: RecordRun, of direction: borrowing DirectionAnalysis) -> RecordRun {
    var run = run
    run.flags.formUnion(RecordFlags(rawValue: identity.flagBits))
    guard let carving = identity.carving else { return run }
    run.flags.insert(.carved)
    // The decoder holds back a run's end, so only the last record ends where the bytes do.
    if carving.chainLength != nil, run.offset &+ run.count &* run.stride == direction.end {
      run.flags.insert(.unconfirmedBoundary)
    }
    return run
  }

  /// Counts a record of a gateway, and adds the flags of its bytes; returns their origin.
  fileprivate func begin(
    _ offset: Int, _ length: Int, _ flags: inout RecordFlags, of direction: inout DirectionAnalysis
  ) throws -> SourceExtent? {
    guard let origin = direction.trail.origin(at: offset) else { return nil }
    try emitPending(before: offset &+ 1, of: &direction)
    direction.records &+= 1
    log.summary.recordBytes &+= length
    if identity.carving != nil { flags.insert(.carved) }
    if direction.isUncertain(offset, length) { flags.insert(.conflictingBytes) }
    return origin
  }

  /// Emits a request of a dump of one direction at once: no response can decide its outcome.
  fileprivate func emitAlone(
    _ frame: RequestFrame, _ origin: SourceExtent, in bytes: RawSpan, at location: ChunkLocation?
  ) throws {
    gateway?.value.alone += 1
    guard log.needs.contains(.gatewayRecords) else { return }
    try log.add(
      RequestRecord(
        fields: frame.fields, offset: frame.offset, fileOffset: origin.fileOffset(of: frame.offset),
        packet: origin.packet, flags: frame.flags, outcome: .unknown, status: nil),
      of: self, in: bytes, at: location)
  }

  // MARK: - HTTP/2

  fileprivate func take(_ frame: Frame, in bytes: RawSpan, of direction: inout DirectionAnalysis) throws {
    guard let pushes, let origin = direction.trail.origin(at: frame.offset) else { return }
    try reportCutBlock(in: &direction, before: frame)
    try emitPending(before: frame.offset &+ 1, of: &direction)
    log.summary.recordBytes &+= frame.length
    pushes.isUncertain = direction.isUncertain(frame.offset, frame.length)
    let error = pushes.take(
      frame, in: bytes, from: role(of: direction.side),
      at: FrameOrigin(
        offset: frame.offset, fileOffset: origin.fileOffset(of: frame.offset), packet: origin.packet))
    // What a doubtful header block adds to the table, later ones must not use.
    if pushes.isUncertain { try losePushBytes(of: direction.side) }
    if let error {
      let message = Self.message(of: error)
      try report(
        direction.finding(.malformedHTTP2, frame.offset, frame.length, origin, message), in: &direction)
    }
    if frame.kind == .settings,
      case .decoded(let other as Box<FrameDecoder>) = self[direction.side.other].content
    {
      allowPayload(of: direction.side.other, in: &other.value)
    }
    if pushes.hasComplete { try emitComplete(pushes) }
  }

  /// Reports the open header block of a direction as cut off, unless `frame` continues it.
  func reportCutBlock(in direction: inout DirectionAnalysis, before frame: Frame?) throws {
    guard let pushes, let block = pushes.cutBlock(in: role(of: direction.side), before: frame) else { return }
    log.summary.recordBytes &-= block.length
    log.summary.truncatedBytes &+= block.length
    try report(
      StreamFinding(
        .truncatedRecord, side: direction.side, offset: block.origin.offset, length: block.length,
        fileOffset: block.origin.fileOffset, packet: block.origin.packet,
        message: "truncated header block: its end (END_HEADERS) does not follow"), in: &direction)
  }

  private static func message(of error: HeaderTable.HeaderError) -> Message {
    switch error {
    case .malformed:
      "the header block cannot be decoded: its fields, and the table entries that it adds, are lost"
    case .tooLong:
      "a header block, or its list of fields, has more than \(HeaderTable.longestList) bytes: its fields are lost"
    case .noLibrary:
      "no header block of the direction is decoded, and all fields are lost: \(HeaderTable.missingLibrary)"
    }
  }

  /// Bytes of a direction are missing, or are not frames.
  func losePushBytes(of side: Side) throws {
    guard let pushes else { return }
    pushes.gap(in: role(of: side))
    if pushes.hasComplete { try emitComplete(pushes) }
  }

  func emitComplete(_ pushes: PushConnection) throws {
    if let evicted = pushes.removeEvicted() {
      let (limits, origin) = (log.options.gateway, evicted.origin)
      try report(
        StreamFinding(
          .pendingLimit, side: evicted.direction == .server ? server : server.other, offset: origin.offset,
          length: Frame.headerLength, fileOffset: origin.fileOffset, packet: origin.packet,
          message: evicted.isOfMemory
            ? .pendingMemory(limit: limits.memory) : .tooManyPending(limit: limits.maxPending)))
    }
    try pushes.removeComplete { fields, request, response, texts in
      guard let push = PushRecord(fields, request: request, response: response) else { return }
      try log.add(push, labels: labels(input: push.packet?.input ?? 0), in: texts)
    }
  }

  /// The position of a byte in the capture, comparable between both directions: by its packet, else by its file
  /// offset. In a pair of dumps, all requests come first.
  fileprivate func captureOrder(of offset: Int, _ origin: SourceExtent, from direction: Direction) -> Int {
    if let number = origin.packet?.number { return Int(origin.packet?.input ?? 0) << 47 | number }
    if identity.serverEvidence == .pair { return direction == .client ? 0 : 1 }
    return origin.fileOffset(of: offset)
  }

  /// Correlates the waiting responses now, because too many wait in all streams.
  func settleResponses() throws { try gateway?.value.settle { try emit($0) } }

  func emit(_ outcome: Correlator.CorrelatedRequests) throws {
    switch outcome {
    case .requests(let records, let bytes):
      let labels = labels(input: records.first?.packet?.input ?? 0)
      let requests = RequestRecords(labels: labels, records: records[...])
      try log.add(.call { try $0.requests(requests, in: bytes.span.bytes) }, owning: bytes.count)
    case .response(let frame, let origin, let request):
      log.summary.count(frame.flags)
      guard log.needs.contains(.gatewayRecords) else { return }
      let record = ResponseRecord(
        labels: labels(input: origin.packet?.input ?? 0), offset: frame.offset,
        fileOffset: origin.fileOffset(of: frame.offset), packet: origin.packet, response: frame.response,
        request: request, flags: frame.flags)
      try log.add { try $0.response(record) }
    case .finding(let finding): try emit(finding)
    case .limit(let finding):
      try beginExcerpt(of: finding)
      try emit(finding)
    }
  }
}
