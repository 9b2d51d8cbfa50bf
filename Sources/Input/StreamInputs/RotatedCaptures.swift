import Basics
import PacketCapture

extension InputWalk {
  /// With each capture in several files as one, unless the options say how the inputs are read.
  package func joiningCaptures(_ options: ReadingOptions) -> InputWalk {
    guard [nil, .capture].contains(options.format), !options.joins, inputs.first?.half == nil else {
      return self
    }
    var walk = self
    walk.inputs = RotatedCaptures.joined(inputs, options.capture)
    return walk
  }
}

/// Captures that one program wrote one after the other, as tcpdump does with -C or -G: connections continue in the next
/// file. Sequence numbers prove it (docs/spec/captures.md, "Joined files").
enum RotatedCaptures {
  /// The inputs; those that continue a capture follow it, in the order of time. Files of one directory are compared;
  /// files that were named are read as they were named.
  static func joined(_ inputs: [Input], _ options: CaptureOptions) -> [Input] {
    let files = inputs.indices.filter {
      inputs[$0].directory != nil && inputs[$0].size != nil && inputs[$0].parts.isEmpty
    }
    let directories = Dictionary(grouping: files) { inputs[$0].path.map { DirectoryEntry.directory(of: $0) } }
    var wholes: [Int: [Int]] = [:]
    for files in directories.values where files.count > 1 {
      for whole in captures(among: files, of: inputs, options) { wholes[whole.min() ?? 0] = whole }
    }
    let parts = Set(wholes.values.joined())
    return inputs.indices.flatMap { index -> [Input] in
      guard let whole = wholes[index] else { return parts.contains(index) ? [] : [inputs[index]] }
      return Input.joined(whole.map { inputs[$0] })
    }
  }

  /// The numbers of the files of each capture that has several.
  private static func captures(among files: [Int], of inputs: [Input], _ options: CaptureOptions) -> [[Int]] {
    let heads = files.compactMap { CaptureEdges(of: inputs[$0], $0, options, isHead: true) }
    // Connections mostly begin in the file that has them: then nothing more is read.
    guard heads.count > 1, heads.contains(where: { !$0.begins.isEmpty }) else { return [] }
    var known: Set<[AnyHashable]> = []
    // A copy of a file is a capture of its own.
    let edges = heads.compactMap { CaptureEdges(of: inputs[$0.file], $0.file, options) }.filter {
      known.insert([$0.begins, $0.ends, $0.start, $0.end, inputs[$0.file].size]).inserted
    }
    return groups(edges.sorted { $0.start < $1.start }).filter { files in
      // Two captures of one connection at the same time are no rotation.
      files.count > 1 && zip(files, files.dropFirst()).allSatisfy { $0.end <= $1.start }
    }.map { $0.map(\.file) }
  }

  /// The files in groups whose connections continue, each in the order of time.
  private static func groups(_ files: [CaptureEdges]) -> [[CaptureEdges]] {
    var group = Array(files.indices)
    var ends: [CaptureEdges.Point: [Int]] = [:]
    for (index, file) in files.enumerated() {
      for earlier in file.begins.flatMap({ ends[CaptureEdges.Point($0)] ?? [] }) {
        let (old, new) = (group[index], group[earlier])
        for other in group.indices where group[other] == old { group[other] = new }
      }
      for flow in file.ends { ends[CaptureEdges.Point(flow), default: []].append(index) }
    }
    return Dictionary(grouping: files.indices) { group[$0] }.values.map { $0.map { files[$0] } }
  }
}

/// Where the connections of a capture file begin and end.
private struct CaptureEdges {
  /// One direction of a connection.
  struct Flow: Hashable { let source, destination: Endpoint }

  struct Point: Hashable {
    let flow: Flow
    let sequence: SequenceNumber

    init(_ point: (key: Flow, value: SequenceNumber)) { (flow, sequence) = (point.key, point.value) }
  }

  /// Bytes read of the beginning of a file, and at most of its end.
  private static let headLength = 256 << 10
  private static let tailLength = 4 << 20
  private static let maxFlows = 65_536

  let file: Int
  /// The first number of each direction that begins without a SYN, in the head.
  private(set) var begins: [Flow: SequenceNumber] = [:]
  /// The number after the last byte of each direction.
  private(set) var ends: [Flow: SequenceNumber] = [:]
  private var times: (first: CaptureTime, last: CaptureTime)?
  var start: CaptureTime { times?.first ?? CaptureTime(seconds: 0) }
  var end: CaptureTime { times?.last ?? CaptureTime(seconds: 0) }

  private var records: CaptureRecords
  private var dissector: PacketDissector

  /// Nil if the file is no capture with times, or cannot be read.
  /// - Parameter isHead: whether the head alone is read.
  init?(of input: Input, _ number: Int, _ options: CaptureOptions, isHead: Bool = false) {
    do throws(InputError) {
      var file = try InputFile(input)
      var window = [UInt8](repeating: 0, count: 64)
      let filled = try file.fill(&window, from: 0)
      guard let kind = CaptureRecords.recognises(window.span.bytes.extracting(first: filled)) else {
        return nil
      }
      self.file = number
      records = CaptureRecords(kind: kind, maxPacket: options.maxPacket)
      dissector = PacketDissector(options: options)
      try read(&file, &window, filled, isHead)
    } catch {
      return nil
    }
    if times == nil { return nil }
  }

  private mutating func read(
    _ file: inout InputFile, _ window: inout [UInt8], _ head: Int, _ isHead: Bool
  ) throws(InputError) {
    var (filled, index, offset, needed) = (head, 0, 0, Self.headLength)
    while true {
      window += [UInt8](repeating: 0, count: max(0, needed - window.count))
      filled = try file.fill(&window, from: filled, at: offset)
      let next = add(
        window.span.bytes.extracting(first: filled), from: &index, offset, isLast: filled < window.count)
      guard let next, !isHead else { return }
      window.removeSubrange(..<index)
      let tail = file.isSeekable && offset == 0 ? (file.size ?? 0) - Self.tailLength : 0
      (filled, offset, index, needed) = (filled - index, offset + index, 0, max(next, Self.headLength))
      // In the middle of a file, the reader finds the next record, as after damage.
      if tail > offset + filled { (filled, offset) = (0, tail) }
    }
  }

  /// Adds the packets of a window, and returns how many bytes it needs after `index`; nil at the end of the file.
  private mutating func add(_ window: RawSpan, from index: inout Int, _ offset: Int, isLast: Bool) -> Int? {
    while true {
      switch records.next(in: window, from: index, windowOffset: offset, isLast: isLast) {
      case .packet(let record, let end):
        let packet = PacketReference(number: record.number)
        add(dissector.dissect(record, from: packet, in: window), record.time, isHead: offset == 0)
        _ = dissector.takeFindings()
        index = end
      case .skipped(let end), .damaged(_, let end): index = end
      case .unreadable, .finished: return nil
      case .needsBytes(let needed): return needed
      }
    }
  }

  private mutating func add(_ dissection: Dissection, _ time: CaptureTime?, isHead: Bool) {
    if let time { times = (min(times?.first ?? time, time), max(times?.last ?? time, time)) }
    guard case .segment(let segment) = dissection else { return }
    let flow = Flow(source: segment.source, destination: segment.destination)
    let length = segment.payloadLength &+ segment.missingLength
    let end = segment.sequence + (length &+ (segment.isSYN ? 1 : 0) &+ (segment.flags.contains(.fin) ? 1 : 0))
    if segment.flags.contains(.rst) { return }
    guard let known = ends[flow], !segment.isSYN else {
      if ends.count >= Self.maxFlows { return }
      if isHead, !segment.isSYN { begins[flow] = segment.sequence }
      return ends[flow] = end
    }
    if end.distance(from: known) > 0 { ends[flow] = end }
  }
}

extension InputFile {
  /// Fills the window, which is at `offset` in the content, from `filled` on: from anywhere, if the file allows it.
  fileprivate mutating func fill(
    _ window: inout [UInt8], from filled: Int, at offset: Int
  ) throws(InputError) -> Int {
    guard isSeekable else { return try fill(&window, from: filled) }
    return window.withUnsafeMutableBytes {
      filled + read(at: offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
    }
  }
}
