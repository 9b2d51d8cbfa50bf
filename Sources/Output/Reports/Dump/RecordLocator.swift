import APNsWire
import Analysis
import Basics
import PacketCapture

/// The location that `show` is asked for.
package enum ShowTarget: Equatable {
  /// The record of that number, from 1, in the order of export.
  case record(Int)
  /// The record, or other bytes, at that offset of a direction, in bytes from 0.
  case offset(Int)
  /// The bytes of the packet of that number, from 1.
  case packet(Int)
  case token([UInt8])
}

/// A part of a stream to show: a record, or bytes that are not part of a record.
package struct LocatedBytes {
  package var labels: StreamLabels
  package var direction: Direction
  /// Offset of the first byte in the direction, from 0.
  package var offset: Int
  package var fileOffset: Int?
  package var packet: Int?
  /// Its type, such as `feedback tuple`.
  package var kind: String
  package var bytes: [UInt8]
  package var fields: [DumpField]
  /// Flags, the outcome, and so on.
  package var remarks: [String]
  /// Whether `bytes` are decoded from text, and what the file has; nil if that is no longer known.
  package var isDecoded = false
  package var fileText: FileExcerpt?
  /// Number of the input, of which a capture in several files is one.
  package var input = 0

  package var end: Int { offset + bytes.count }
}

extension LocatedBytes {
  init(_ row: some LocatedRow, _ kind: String, _ bytes: [UInt8], _ fields: [DumpField], remarks: [String]) {
    self.init(
      labels: row.labels, direction: row.direction, offset: row.offset, fileOffset: row.fileOffset,
      packet: row.packet?.number, kind: kind, bytes: bytes, fields: fields, remarks: remarks)
  }
}

/// Finds the location that `show` is asked for while an analysis runs, and keeps only the bytes to show.
package final class RecordLocator: EvidenceSink {
  package let target: ShowTarget
  /// For local times; nil without them.
  package var clock: LocalClock?
  /// Nil accepts all streams.
  package let stream: Int?
  package let direction: Direction?
  private let maxLocations: Int
  package private(set) var located: [LocatedBytes] = []
  /// Locations beyond that limit.
  package private(set) var more = 0
  package private(set) var findings: [Finding] = []
  package private(set) var records = 0
  /// The most bytes to keep of a side.
  private let maxBytes: Int
  private var windows: [StreamDirection: ByteWindow] = [:]
  private var text = FileText()
  private var extents = RecentExtents()
  private var input = 0

  package init(_ target: ShowTarget, stream: Int?, direction: Direction?, maxLocations: Int, maxBytes: Int) {
    (self.target, self.stream, self.direction) = (target, stream, direction)
    (self.maxLocations, self.maxBytes) = (maxLocations, maxBytes)
  }

  package var needs: EvidenceNeeds { [.bytes, .gatewayRecords, .fileText, .extents] }

  package func inputBegan(_ source: String) {
    text.forget()
    input += 1
  }

  package func text(_ window: [UInt8], at offsets: Range<Int>) { text.keep(window, at: offsets) }

  package func bytes(_ bytes: RawSpan, of direction: DirectionState, origins: Span<SourceExtent>) {
    let side = StreamDirection(stream: direction.stream, side: direction.side)
    keep(bytes, of: side, origins: origins)
    guard text.isKept else { return }
    extents.keep(bytes.byteCount, of: side, origins: origins)
    findText(of: direction.stream)
  }

  func add(_ shown: LocatedBytes) {
    guard located.count < maxLocations else {
      more += 1
      return
    }
    var shown = shown
    shown.input = input
    shown.isDecoded = shown.fileOffset.map { text.isSource(of: shown.bytes, at: $0) } ?? false
    located.append(shown)
    findText(of: shown.labels.stream)
  }

  /// Finds what the file has where locations of `stream` are decoded from, once the extents of their bytes are known.
  private func findText(of stream: Int, atEnd: Bool = false) {
    for index in located.indices where located[index].isDecoded && located[index].fileText == nil {
      let shown = located[index]
      guard shown.labels.stream == stream, let start = shown.fileOffset else { continue }
      let offsets = extents.fileOffsets(of: shown.offset..<shown.end, in: stream, at: start)
      located[index].fileText = (offsets ?? (atEnd ? start..<start + 1 : nil)).flatMap {
        text.lines(with: $0)
      }
    }
  }

  func matches(_ labels: StreamLabels, _ side: Direction) -> Bool {
    (stream ?? labels.stream) == labels.stream && (direction ?? side) == side
  }

  /// Whether to show the next record in the order of export.
  /// - Parameter hasToken: whether the record has a given token.
  func matches(
    _ labels: StreamLabels, _ side: Direction, _ range: Range<Int>, packet: Int?,
    _ hasToken: ([UInt8]) -> Bool
  ) -> Bool {
    records += 1
    switch target {
    case .token(let token): return matches(labels, side) && hasToken(token)
    case .record(let number): return records == number
    case .offset(let offset): return range.contains(offset) && matches(labels, side)
    case .packet(let number): return packet == number && matches(labels, side)
    }
  }

  // MARK: - Records

  package func records(_ found: FeedbackRecords, in bytes: RawSpan) {
    found.eachExtent { locate($0, in: bytes) }
  }

  private func locate(_ found: FeedbackRecords, in bytes: RawSpan) {
    let run = found.run
    for index in requestedIndices(of: found, in: bytes) {
      let start = run.start + index * run.stride
      let tuple = bytes.extracting(start..<start + run.stride).withUnsafeBytes { Array($0) }
      let time = CaptureTime(seconds: Int64(tuple.span.bytes.bigEndianUInt32(at: 0)))
      var row = found
      row.run = run.slice(from: index, count: 1)
      add(
        LocatedBytes(
          row, found.labels.carving?.form == .log ? "feedback tuple, from a line of text" : "feedback tuple",
          tuple, DumpFields.feedback(tuple), remarks: localTime(time) + Self.remarks(run.flags)))
    }
    records += run.count
  }

  private func requestedIndices(of found: FeedbackRecords, in bytes: RawSpan) -> [Int] {
    let run = found.run
    if case .record(let number) = target {
      let index = number - 1 - records
      return 0 <= index && index < run.count ? [index] : []
    }
    guard matches(found.labels, found.direction) else { return [] }
    switch target {
    case .offset(let offset) where offset >= run.offset:
      let index = (offset - run.offset) / run.stride
      return index < run.count ? [index] : []
    case .packet(found.origin.packet?.number): return Array(0..<run.count)
    case .token(let token): return run.indices(of: token, in: bytes)
    case .record, .offset, .packet: return []
    }
  }

  package func requests(_ found: RequestRecords, in bytes: RawSpan) {
    for record in found.records {
      let range = record.offset..<record.offset + record.fields.length
      let isMatch = matches(found.labels, .client, range, packet: record.packet?.number) {
        record.has(token: $0, in: bytes)
      }
      guard isMatch else { continue }
      let request = bytes.extracting(record.fields.range).withUnsafeBytes { Array($0) }
      let outcome = record.outcome.rawValue + (record.status.map { ", status \($0)" } ?? "")
      add(
        LocatedBytes(
          labels: found.labels, direction: .client, offset: record.offset, fileOffset: record.fileOffset,
          packet: record.packet?.number, kind: "request", bytes: request, fields: DumpFields.request(request),
          remarks: ["outcome: \(outcome)"] + Self.remarks(record.flags)))
    }
  }

  package func response(_ found: ResponseRecord) {
    let range = found.offset..<found.offset + ErrorResponse.length
    let isMatch = matches(found.labels, .server, range, packet: found.packet?.number) {
      found.request?.token == $0
    }
    guard isMatch else { return }
    var bytes: [UInt8] = []
    ResponseEncoder.append(found.response, to: &bytes)
    let request = found.request.map { ["about the request at offset \($0.offset) of the client"] } ?? []
    add(
      LocatedBytes(
        found, "error response", bytes, DumpFields.response(found.response),
        remarks: request + Self.remarks(found.flags)))
  }

  /// A remark with the local time of `time`; none without a clock.
  func localTime(_ time: CaptureTime?) -> [String] {
    guard let clock, let text = time.flatMap({ clock.text($0) }) else { return [] }
    return ["local time in \(clock.name): \(text)"]
  }

  private static func remarks(_ flags: RecordFlags) -> [String] {
    flags.isEmpty ? [] : ["flags: \(flags.codes.joined(separator: ", "))"]
  }

  // MARK: - Other bytes

  package func finding(_ finding: Finding) {
    if findings.count < maxLocations, matches(finding) { findings.append(finding) }
  }

  private func matches(_ finding: Finding) -> Bool {
    guard (stream ?? finding.stream) == finding.stream, (direction ?? finding.direction) == finding.direction
    else { return false }
    switch target {
    case .record, .token: return false
    case .offset(let offset):
      guard let start = finding.offset else { return false }
      return (start..<start + max(finding.length ?? 1, 1)).contains(offset)
    case .packet(let number): return finding.packet == number
    }
  }

  /// Shows bytes outside records, now that the sender is known.
  package func stream(_ summary: StreamSummary, report: StreamReport) {
    for var window in takeWindows(of: summary.number) {
      let sender: Direction = window.side == summary.serverSide ? .server : .client
      let labels = StreamLabels(
        source: summary.source, stream: summary.number, client: summary.client, server: summary.server)
      guard (direction ?? sender) == sender, !isShown(window, labels, sender) else { continue }
      // Ends at the skipped bytes: the records after them were not requested.
      let skipped = findings.first {
        $0.source == labels.source && $0.stream == labels.stream && $0.direction == sender
      }
      if case .offset = target, let start = skipped?.offset, let length = skipped?.length {
        window.bytes = Array(window.bytes.prefix(max(start + length - window.offset, 1)))
      }
      add(
        LocatedBytes(
          labels: labels, direction: sender, offset: window.offset, fileOffset: window.fileOffset,
          packet: window.packet, kind: Self.kind(of: summary), bytes: window.bytes,
          fields: [DumpField(0..<window.bytes.count, "bytes")], remarks: []))
    }
    findText(of: summary.number, atEnd: true)
    extents.forget(summary.number)
  }

  private static func kind(of stream: StreamSummary) -> String {
    switch stream.streamProtocol {
    case .http2: "bytes of HTTP/2"
    case .providerLog: "bytes of a provider's log"
    case .feedback, .gateway, .encrypted, .other: "no record begins here"
    }
  }

  private func isShown(_ window: ByteWindow, _ labels: StreamLabels, _ sender: Direction) -> Bool {
    located.contains { shown in
      shown.input == input && shown.labels.stream == labels.stream && shown.direction == sender
        && shown.offset < window.offset + window.bytes.count && window.offset < shown.end
    }
  }
}

/// Bytes of one side of a stream, kept in case they are not part of a record.
private struct ByteWindow {
  var side: Side
  /// Offset of the first byte in its direction, from 0.
  var offset: Int
  var fileOffset: Int
  var packet: Int?
  var bytes: [UInt8]
}

extension RecordLocator {
  /// Keeps the bytes of a side at the requested location, up to a limit.
  private func keep(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<SourceExtent>) {
    guard (stream ?? direction.stream) == direction.stream, !origins.isEmpty else { return }
    let base = origins[0].streamOffset
    switch target {
    case .record, .token: return
    case .offset(let offset):
      let range = max(offset, base)..<max(base + bytes.byteCount, max(offset, base))
      guard range.lowerBound - offset < maxBytes, !range.isEmpty else { return }
      keep(range, of: direction, bytes, base, origins)
    case .packet(let number):
      for index in origins.indices where origins[index].packet?.number == number {
        let end = index + 1 < origins.count ? origins[index + 1].streamOffset : base + bytes.byteCount
        keep(origins[index].streamOffset..<end, of: direction, bytes, base, origins)
      }
    }
  }

  /// - Parameter base: offset of the first of `bytes`.
  private func keep(
    _ range: Range<Int>, of direction: StreamDirection, _ bytes: RawSpan, _ base: Int,
    _ origins: Span<SourceExtent>
  ) {
    if windows[direction] == nil {
      guard windows.count < maxLocations else { return }
      var origin = origins[0]
      for index in origins.indices where origins[index].streamOffset <= range.lowerBound {
        origin = origins[index]
      }
      windows[direction] = ByteWindow(
        side: direction.side, offset: range.lowerBound, fileOffset: origin.fileOffset(of: range.lowerBound),
        packet: origin.packet?.number, bytes: [])
    }
    guard var window = windows.removeValue(forKey: direction) else { return }
    // Appends only bytes that continue the window; a gap ends it.
    if range.lowerBound == window.offset + window.bytes.count {
      let count = min(range.count, maxBytes - window.bytes.count)
      let part = bytes.extracting(range.lowerBound - base..<range.lowerBound - base + count)
      part.withUnsafeBytes { window.bytes.append(contentsOf: $0) }
    }
    windows[direction] = window
  }

  /// Removes and returns the windows of a stream that has ended.
  private func takeWindows(of stream: Int) -> [ByteWindow] {
    let directions = windows.keys.filter { $0.stream == stream }
    let taken = directions.compactMap { windows.removeValue(forKey: $0) }.filter { !$0.bytes.isEmpty }
    return taken.sorted { $0.side == .first && $1.side != .first }
  }
}
