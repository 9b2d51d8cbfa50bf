import APNsWire
import PacketCapture

/// The chain that is being emitted: a stream of its own.
struct OpenChain {
  enum ChainContent {
    case tuples, requests
    case text(EncodedText.TextEncoding)
  }

  var content: ChainContent
  var identity: StreamIdentity
  /// File offset of the next record, and bits of its first character that belong to the one before.
  var next: Int
  var bit = 0
  /// What is between tuples, and the file offset of the first of the tuples that touch.
  var spacing: TupleSpacing
  var group: Int
  /// Bytes so far.
  var length = 0
  var identifiers: [UInt32] = []
}

/// Emits chains. A chain ends where no record follows. Each function that extends one returns the index at which the search
/// continues.
extension CarveSource {
  /// Characters that are decoded at once.
  private static let decoded = 32 << 10
  private static let mostIdentifiers = 1024

  mutating func openChain(_ content: OpenChain.ChainContent, at start: Int, length: Int?) {
    let (form, server): (Carving.CarvedForm, Side) =
      switch content {
      case .tuples: (.binary, .first)
      case .requests: (.binary, .second)
      case .text(let form): (form.carvingForm, .first)
      }
    let carving = Carving(form, chain: chains, chainLength: length)
    let identity = StreamIdentity(number: streams, server: server, serverEvidence: .carved, carving: carving)
    let next = view.offset &+ start
    open = OpenChain(
      content: content, identity: identity, next: next, spacing: TupleSpacing(tuples.rules), group: next)
    batch.opened(identity, slot: Self.chainSlot)
    chains += 1
    streams += 1
    found.insert(form)
  }

  mutating func close() {
    guard let chain = open else { return }
    batch.closed(StreamReport(chain.identity), slot: Self.chainSlot)
    floor = chain.next
    open = nil
  }

  /// Emits the records from the chain's next one to `end`.
  private mutating func emit(to end: Int) {
    guard var chain = open.take() else { return }
    let start = view.index(of: chain.next)
    if end > start {
      batch.bytes(
        start..<end, slot: Self.chainSlot, side: .first,
        origin: SourceExtent(streamOffset: chain.length, fileOffset: chain.next, stride: 1))
    }
    chain.length &+= end &- start
    chain.next = view.offset &+ end
    open = chain
  }

  mutating func extendTuples() throws(NeedsWindow) -> Int {
    guard let chain = open else { return 0 }
    var end = view.index(of: chain.next)
    do throws(NeedsBytes) {
      while true {
        if let next = try tuples.tuple(at: end, in: view.bytes, isLast: view.isLast) {
          end = next
          continue
        }
        emit(to: end)
        guard let next = try tupleAfterSeparator(at: end) else { break }
        end = next
      }
    } catch {
      emit(to: end)
      throw NeedsWindow(start: end, count: TupleSpacing.reach(tuples.rules))
    }
    close()
    return end
  }

  private mutating func tupleAfterSeparator(at end: Int) throws(NeedsBytes) -> Int? {
    guard let group = open.map({ view.index(of: $0.group) }), group < end,
      let next = try open?.spacing.next(after: end, group: group, in: view.bytes.bytes, isLast: view.isLast)
    else { return nil }
    open?.next = view.offset &+ next
    open?.group = view.offset &+ next
    return next
  }

  // MARK: - Text

  mutating func extendText(_ form: EncodedText.TextEncoding) throws(NeedsWindow) -> Int {
    guard var chain = open else { return 0 }
    let start = view.index(of: chain.next)
    let wanted = Self.decoded &+ 2 &* tuples.longestTuple &* form.rawValue
    try view.check(wanted, from: start)
    let position = EncodedText.Position(index: start, bit: chain.bit)
    let limit = min(view.bytes.count, start &+ wanted)
    textSearch.text.decode(form, from: position, to: limit, in: view.bytes)
    let (count, isOver) = wholeTuples
    if count > 0 {
      let origins = textSearch.text.origins(
        ofBytes: count, streamOffset: chain.length, windowOffset: view.offset)
      batch.bytes(
        Array(textSearch.text.bytes[..<count]), slot: Self.chainSlot, side: .first, origins: origins)
      let next = textSearch.text.position(afterBytes: count, from: position, of: form)
      chain.length &+= count
      chain.next = view.offset &+ next.index
      chain.bit = next.bit
      open = chain
    }
    // Text that continues may have more tuples.
    if !isOver, count > 0, textSearch.text.isCut, limit < view.bytes.count || !view.isLast {
      return view.index(of: chain.next)
    }
    close()
    return view.index(of: chain.next) &+ (chain.bit > 0 ? 1 : 0)
  }

  /// Bytes of whole tuples at the start of those decoded, and whether other bytes follow them.
  private var wholeTuples: (count: Int, isOver: Bool) {
    textSearch.text.bytes.withUnsafeBytes { bytes in
      var count = 0
      do throws(NeedsBytes) {
        while let end = try tuples.tuple(at: count, in: bytes, isLast: false) { count = end }
        return (count, true)
      } catch {
        return (count, false)
      }
    }
  }

  // MARK: - Requests

  mutating func extendRequests() throws(NeedsWindow) -> Int {
    guard let chain = open else { return 0 }
    let start = view.index(of: chain.next)
    let bytes = view.bytes.bytes
    switch requestRules.foundRequest(at: start, in: bytes, isLast: view.isLast) {
    case .request(let end):
      if let identifier = RequestFields(start..<end, in: bytes).identifier { note(identifier) }
      emit(to: end)
      return end
    case .undecided(let needed): throw NeedsWindow(start: start, count: needed)
    case .none:
      try view.check(ErrorResponse.length, from: start)
      let end = emitResponse(at: start)
      close()
      floor = max(floor, view.offset &+ end)
      return end
    }
  }

  private mutating func note(_ identifier: UInt32) {
    if (open?.identifiers.count ?? 0) >= Self.mostIdentifiers { open?.identifiers.removeFirst() }
    open?.identifiers.append(identifier)
  }

  /// Emits the error response directly after the requests, if it names one of them. Six bytes alone prove nothing.
  private mutating func emitResponse(at start: Int) -> Int {
    let end = start &+ ErrorResponse.length
    guard let chain = open, end <= view.bytes.count, view.bytes[start] == ErrorResponse.command else {
      return start
    }
    let response = ErrorResponse(at: start, in: view.bytes.bytes)
    guard ErrorStatus(rawValue: response.status) != nil, chain.identifiers.contains(response.identifier)
    else { return start }
    batch.bytes(
      start..<end, slot: Self.chainSlot, side: .second,
      origin: SourceExtent(streamOffset: 0, fileOffset: view.offset &+ start, stride: 1))
    return end
  }
}
