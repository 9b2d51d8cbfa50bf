import APNsWire
import PacketCapture

/// Records in bytes of any kind, such as disk images and memory (docs/carving.md): chains of feedback tuples, binary or as
/// text, gateway requests, tuples in lines of logs, and IP packets.
///
/// Records are found in the order of their offsets, and no byte is in two of them. Whether one begins at an offset depends
/// only on the bytes around it, of bounded number, and on the records before it. So the result does not depend on where
/// windows end: where the window lacks some of these bytes, the search waits for them.
package struct CarveSource: StreamSource, ~Copyable {
  /// The slots of the open chain, and of the first stream with records of lines.
  static let chainSlot: Int32 = 0
  static let logSlot: Int32 = 1

  /// Bytes before an index that decide on it: the start of its request, packet or line.
  private static let reach = max(
    RequestRules.searchReach, PacketSearch.reach, LogTokens.reach + 128, TextSearch.reach + 64)

  let tuples: TupleSearch
  let requestRules: RequestRules
  private let packetSearch: PacketSearch
  private let captureOptions: CaptureOptions
  private let scan: AnchorScan
  var textSearch: TextSearch
  private let logTokens: LogTokens
  /// Created with the first packet.
  private var packets: CarvedPackets?

  /// The caller's, while it reads.
  var view = View()
  var batch = EventBatch()
  /// File offset before which everything has been searched, and before which bytes belong to records.
  private var searched = 0
  var floor = 0
  var streams = 0
  var chains = 0
  var open: OpenChain?
  var lines: [LineStream] = []
  var leftOut = LinesLeftOut()
  /// Tuples from the start on that are too few: the later ones of them begin no chain either.
  private var shortChain = 0..<0
  var found: Set<Carving.CarvedForm> = []
  var hasRequests = false
  /// Whether nothing was found that is worth a word.
  private(set) var isIdle = true

  package init(_ options: CarvingOptions, capture: CaptureOptions) {
    tuples = TupleSearch(options)
    requestRules = options.requestRules
    captureOptions = capture
    packetSearch = PacketSearch(ports: capture.serverPorts)
    textSearch = TextSearch(tuples)
    logTokens = LogTokens(tuples: tuples, zone: options.logZone)
    scan = AnchorScan(tuples, ports: packetSearch.ports)
  }

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into target: inout EventBatch
  ) -> SourceStep {
    swap(&target, &batch)
    defer { swap(&target, &batch) }
    return window.withUnsafeBytes { bytes in
      view = View(bytes: bytes, offset: windowOffset, isLast: isLast)
      // The reader skips holes of sparse files.
      var index = max(0, searched &- windowOffset)
      defer { searched = windowOffset &+ index }
      do throws(NeedsWindow) {
        while !batch.isFull {
          index = try open == nil ? next(from: &index) : extend()
          if index >= bytes.count, isLast, open == nil { return .ended(nil) }
        }
        return .isFull(consumed: start)
      } catch {
        // The window moves on with an open chain, however long that is.
        if open != nil { index = error.start }
        let consumed = max(start, min(index, error.start) &- Self.reach)
        return .needsBytes(consumed: consumed, needed: error.start &- consumed &+ error.count)
      }
    }
  }

  package mutating func finish(into target: inout EventBatch) -> Bool {
    swap(&target, &batch)
    defer { swap(&target, &batch) }
    if open != nil { close() }
    isIdle = isIdle && found.isEmpty && leftOut.inUse == 0
    finishLines()
    return packets?.finish(streams: &streams, into: &batch) ?? true
  }

  // MARK: - The next record

  // Each function returns the index at which the search continues; nil if it finds nothing.

  /// - Parameter index: where the search continues; moved to the next anchor, so that nothing is searched twice.
  private mutating func next(from index: inout Int) throws(NeedsWindow) -> Int {
    switch scan.next(from: index, in: view.bytes, windowOffset: view.offset, isLast: view.isLast) {
    case .none(let end):
      index = end
      try view.check(view.bytes.count &- end &+ 1, from: end)
      return view.bytes.count
    case .pair(let found):
      index = found
      return try pair(at: found)
    case .text(let block, let kinds):
      index = block
      if let next = try text(kinds, at: block) { return next }
      switch scan.afterText(block, in: view.bytes) {
      case .pair(let found):
        index = found
        return try pair(at: found)
      case .none(let end), .text(let end, _): return end
      }
    }
  }

  private mutating func pair(at index: Int) throws(NeedsWindow) -> Int {
    let bytes = view.bytes
    // Enough for the fields around a length: a whole token, and what follows it.
    try view.check(2 &+ tuples.rules.tokenLengths.longest &+ 3, from: index)
    let first = view.index(of: floor)
    if bytes[index] == UInt8(ascii: "=") {
      let chain = try textSearch.quotedPrintable(at: index, from: first, in: view)
      return try openText(chain) ?? index &+ 1
    }
    if let next = try record(withLengthAt: index) { return next }
    switch packetSearch.packet(at: index, from: first, in: bytes, isLast: view.isLast) {
    case .none: return index &+ 1
    case .undecided(let needed): throw NeedsWindow(start: index, count: needed)
    case .packet(let packet):
      take(packet)
      return packet.range.upperBound
    }
  }

  /// A tuple or request whose token length is at `index`.
  private mutating func record(withLengthAt index: Int) throws(NeedsWindow) -> Int? {
    let bytes = view.bytes
    guard bytes.count &- index >= 2 else { return nil }
    let length = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self))
    guard tuples.rules.tokenLengths.contains(length) else { return nil }
    // Before tuples: an expiry and a token are like one, and equal payloads like what is between them.
    if let start = requestRules.requestStart(
      ofTokenLengthAt: index, from: max(0, view.index(of: floor)), in: bytes.bytes)
    {
      switch requestRules.foundRequest(at: start, in: bytes.bytes, isLast: view.isLast) {
      case .none: break
      case .undecided(let needed): throw NeedsWindow(start: start, count: needed)
      case .request:
        hasRequests = true
        openChain(.requests, at: start, length: nil)
        return start
      }
    }
    let header = index &- Tuple.lengthOffset
    if header >= view.index(of: floor), !isInShortChain(view.offset &+ header) {
      switch try tuples.chain(
        at: header, upTo: tuples.minChain, in: bytes, isLast: view.isLast, isSpaced: true)
      {
      case .found:
        if case .found(let length) = try tuples.chain(
          at: header, upTo: Carving.maxCountedLength, in: bytes, isLast: view.isLast, isSpaced: true)
        {
          openChain(.tuples, at: header, length: length)
        }
        return header
      case .tooShort(let end): shortChain = view.offset &+ header..<view.offset &+ end
      }
    }
    return nil
  }

  /// Whether a chain from a start on was judged as part of the one before it. Only where all tuples have one length.
  private func isInShortChain(_ start: Int) -> Bool {
    guard let length = tuples.onlyLength, shortChain.contains(start) else { return false }
    return (start &- shortChain.lowerBound) % (Tuple.headerLength &+ length) == 0
  }

  private mutating func text(_ kinds: AnchorScan.Text, at block: Int) throws(NeedsWindow) -> Int? {
    let first = view.index(of: floor)
    if kinds.contains(.token),
      let bracket = LogTokens.bracket(before: block, from: max(0, first), in: view.bytes),
      let next = try logRecord(at: bracket)
    {
      return next
    }
    if kinds.contains(.hex),
      let next = try openText(textSearch.chain(.hex, around: block, from: first, in: view))
    {
      return next
    }
    guard kinds.contains(.base64) else { return nil }
    return try openText(textSearch.chain(.base64, around: block, from: view.index(of: floor), in: view))
  }

  private mutating func logRecord(at bracket: Int) throws(NeedsWindow) -> Int? {
    let offset = view.offset &+ bracket
    if offset <= leftOut.last { return nil }
    switch try logTokens.record(at: bracket, in: view) {
    case nil: break
    case .inUse: leftOut.add(offset, isInUse: true)
    case .untimed: leftOut.add(offset, isInUse: false)
    case .found(let line):
      add(line)
      return line.token.upperBound
    }
    return nil
  }

  private mutating func take(_ packet: PacketSearch.FoundPacket) {
    var packets =
      self.packets.take()
      ?? CarvedPackets(options: captureOptions, reservedSlots: Int(Self.logSlot + Self.lineSlots))
    packets.take(packet, in: view.bytes.bytes, windowOffset: view.offset, streams: &streams, into: &batch)
    self.packets = consume packets
    found.insert(.packet)
    floor = view.offset &+ packet.range.upperBound
  }

  // MARK: - The open chain

  private mutating func extend() throws(NeedsWindow) -> Int {
    switch open?.content {
    case .requests: try extendRequests()
    case .text(let form): try extendText(form)
    case .tuples, nil: try extendTuples()
    }
  }

  private mutating func openText(_ chain: TextSearch.Chain?) throws(NeedsWindow) -> Int? {
    guard let chain else { return nil }
    let wanted = Carving.maxCountedLength &* tuples.longestTuple &* chain.form.rawValue
    let start = chain.start.index
    try view.check(wanted, from: start)
    textSearch.text.decode(
      chain.form, from: chain.start, to: min(view.bytes.count, start &+ wanted), in: view.bytes)
    let length = textSearch.chainLength(upTo: Carving.maxCountedLength) ?? tuples.minChain
    openChain(.text(chain.form), at: start, length: length)
    open?.bit = chain.start.bit
    return start
  }
}

/// A window of the input.
struct View {
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// File offset of its first byte.
  var offset = 0
  /// Whether the input ends with it.
  var isLast = false

  /// The index of a file offset; negative if it is before the window.
  func index(of fileOffset: Int) -> Int { fileOffset &- offset }

  /// Throws if the window has fewer than `count` bytes from `start` on, and the input has more.
  func check(_ count: Int, from start: Int) throws(NeedsWindow) {
    guard isLast || bytes.count &- start >= count else { throw NeedsWindow(start: start, count: count) }
  }
}
