import PacketCapture

/// One direction: finds records, decrypts them with the keys that the handshake gives, and resynchronises after gaps.
struct DirectionReader {
  enum Framing {
    /// The next byte begins a record.
    case aligned
    /// The beginning of the next record is to be found, unless its offset is known.
    case searching(known: Int?)
  }

  enum Protection {
    case plain
    /// Up to TLS 1.2, after ChangeCipherSpec: the keys are not known yet.
    case pending
    case protected(RecordOpener, SecretOrigin)
    /// TLS 1.3, with keys once a record was proved.
    case traffic(TrafficKeys?)
    case unreadable
  }

  enum RecordResult {
    case done
    /// It needs what the other direction will bring.
    case wait
    case unverified
  }

  struct Record {
    var header: RecordHeader
    /// Offset of the header in the direction.
    var offset: Int
    var fragment: Fragment
    var end: Int { offset + header.recordLength }
  }

  let side: Side
  let isClient: Bool
  let state: ConnectionState
  var phase = Protection.plain
  private var framing = Framing.aligned
  private var buffer: [UInt8] = []
  /// Offset in the direction of the buffer's first byte, and of the first byte after the last gap.
  private(set) var bufferOffset: Int
  private var runOffset: Int
  /// Where TLS begins.
  let start: Int
  /// Bytes of ciphertext, and where they are in the file as long as that may be needed.
  private var bytes = 0
  var origins = OriginTrail()
  /// Offset after the last byte that came.
  private(set) var originsEnd = 0
  /// Reused for the origins of one record.
  var recordOrigins: [SourceExtent] = []
  /// No bytes follow the buffer: a gap does, or nothing.
  private var isRunEnd = false
  /// What the other direction has not brought yet will not come in time.
  var isFinal = false
  private(set) var isWaiting = false
  private var triedRevision = -1
  /// The record that was not proved and waits for the next header, and what was known then: trying it again with each
  /// byte would use up the trials.
  private var unverified: (offset: Int, revision: Int)?

  /// Since the last record that was proved.
  var trail = RecordTrail()
  var assembler = HandshakeAssembler()
  /// Bytes were lost in the plain part of the handshake.
  var hasPlainGap = false
  /// The handshake that the direction is in, and whether it has sent its ChangeCipherSpec.
  var number = 0
  var hasChanged = false
  /// Offset in the plaintext after the last byte or gap.
  var plaintextOffset = 0
  /// Whether a record of data was proved.
  var hasData = false
  var failedTrials = 0
  var trialBudget: Int

  init(_ side: Side, from start: Int, _ state: ConnectionState) {
    (self.side, self.state, self.start) = (side, state, start)
    isClient = side == state.client
    (bufferOffset, runOffset) = (start, start)
    trail.restart(at: start)
    trialBudget = state.context.options.trialLimit
  }

  /// Offset after the last byte or gap.
  var end: Int { bufferOffset + buffer.count }

  var name: String { isClient ? "client" : "server" }

  var isUnreadable: Bool { if case .unreadable = phase { true } else { false } }

  var stop: DecryptionStop? { state.stops.first { $0.side == side } }

  var encryption: StreamEncryption.Half {
    var half = StreamEncryption.Half()
    half.isDecrypted = hasData || state.secret != nil && stop == nil
    half.bytes = bytes
    half.gapBytes = end - start - bytes
    return half
  }

  // MARK: - Input

  /// Takes note of the next `count` bytes.
  mutating func note(_ count: Int, _ origins: Span<SourceExtent>) {
    bytes += count
    originsEnd = end + count
    self.origins.append(origins)
  }

  /// Takes bytes up to a record that the other direction may have waited for; returns how many. If the rest came first,
  /// results would depend on chunks.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var rest = bytes
    while !rest.isEmpty {
      if buffer.isEmpty {
        let used = consume(rest, at: bufferOffset)
        bufferOffset += used
        rest = UnsafeBufferPointer(rebasing: rest[used...])
        if hasNews { break }
      }
      let missing = missingLength
      let part = rest.prefix(missing ?? 1 << 14)
      buffer.append(contentsOf: part)
      rest = UnsafeBufferPointer(rebasing: rest[part.count...])
      if let missing, part.count < missing { break }
      if !part.isEmpty { consumeBuffer() }
      if isWaiting, buffer.count >= state.context.options.waitLimit {
        isFinal = true
        consumeBuffer()
      }
      if hasNews { break }
    }
    return bytes.count - rest.count
  }

  /// Whether something changed since the last record was tried.
  private var hasNews: Bool { triedRevision != state.revision }

  /// Bytes that the buffer lacks of a record or of its header: with just these it is empty again, and the next records are
  /// read where they are. Nil if more is needed to continue.
  private var missingLength: Int? {
    guard case .aligned = framing, !isWaiting else { return nil }
    if buffer.count < RecordHeader.length { return RecordHeader.length - buffer.count }
    guard let length = bufferedHeader?.recordLength, length > buffer.count else { return nil }
    return length - buffer.count
  }

  private var bufferedHeader: RecordHeader? {
    guard buffer.count >= RecordHeader.length else { return nil }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.flatMap { RecordHeader($0, version: version) } }
  }

  mutating func gap(_ length: Int) {
    guard end < 1 << 60 else { return }
    endRun()
    noteCutRecord(gapEnd: end + length)
    bufferOffset = end + length
    runOffset = bufferOffset
    buffer.removeAll(keepingCapacity: true)
    isRunEnd = false
    assembler.reset()
    if case .plain = phase {
      hasPlainGap = true
      state.lose(number)
    }
  }

  mutating func finish() {
    isFinal = true
    endRun()
    noteCutRecord(gapEnd: end)
    noteUnproved()
    addUnproved()
  }

  /// Tries again what is buffered, after something changed; false if there is nothing to try.
  mutating func retry() -> Bool {
    guard hasNews, !buffer.isEmpty else { return false }
    consumeBuffer()
    return true
  }

  private mutating func endRun() {
    isRunEnd = true
    repeat { consumeBuffer() } while hasNews
    guard isWaiting else { return }
    isFinal = true
    repeat { consumeBuffer() } while hasNews
  }

  /// A record at the end of the buffer that lacks bytes: its header says where the next one begins.
  private mutating func noteCutRecord(gapEnd: Int) {
    guard case .aligned = framing, let header = bufferedHeader else {
      framing = .searching(known: nil)
      return
    }
    trail.see(header)
    let next = bufferOffset + header.recordLength
    framing = .searching(known: next >= gapEnd ? next : nil)
  }

  // MARK: - Records

  private mutating func consumeBuffer() {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    let used = taken.withUnsafeBufferPointer { consume($0, at: bufferOffset) }
    taken.removeFirst(used)
    bufferOffset += used
    swap(&taken, &buffer)
  }

  /// Reads whole records, up to one that changes what is known; returns how many bytes are done with.
  private mutating func consume(_ bytes: UnsafeBufferPointer<UInt8>, at base: Int) -> Int {
    isWaiting = false
    triedRevision = state.revision
    guard let start = bytes.baseAddress else { return 0 }
    var index = 0
    while true {
      if isUnreadable { return bytes.count }
      if case .searching(let known) = framing {
        let (found, position) = boundary(bytes, from: index, at: base, known: known)
        index = position
        guard found else { return index }
        framing = .aligned
        resumeCipher(bytes, at: index, base: base)
      }
      guard bytes.count - index >= RecordHeader.length else { return index }
      if base + index == self.start, let length = ssl2Length(start) {
        guard bytes.count >= length else { return 0 }
        state.add(ssl2: ArraySlice(bytes[2..<length]))
        trail.restart(at: self.start + length)
        index = length
        continue
      }
      guard let header = RecordHeader(start + index, version: version) else {
        // A damaged header: the record is somewhere between the last one and the next.
        framing = .searching(known: nil)
        index += 1
        continue
      }
      guard bytes.count - index >= header.recordLength else { return index }
      let record = Record(
        header: header, offset: base + index,
        fragment: Fragment(
          type: header.type, start: start + index + RecordHeader.length, count: header.fragmentLength))
      let isUnverified = unverified.map { $0 == (record.offset, state.revision) } ?? false
      switch isUnverified ? .unverified : read(record) {
      case .done:
        index += header.recordLength
        if hasNews { return index }
      case .wait:
        isWaiting = true
        return index
      // What is known now may prove it.
      case .unverified where hasNews: return index
      case .unverified:
        let next = index + header.recordLength
        if bytes.count - next >= RecordHeader.length {
          if RecordHeader(start + next, version: version) == nil {
            framing = .searching(known: nil)
            index += 1
            continue
          }
        } else if !isRunEnd {
          unverified = (record.offset, state.revision)
          return index
        }
        skip(record)
        index = next
      }
    }
  }

  /// The index of the next record's header, or of the first byte that is still needed to find it.
  private func boundary(
    _ bytes: UnsafeBufferPointer<UInt8>, from index: Int, at base: Int, known: Int?
  ) -> (Bool, Int) {
    // Up to TLS 1.0, the block before the boundary is the next record's IV, and a MAC may follow it.
    let kept = 64
    if let known {
      return known - base <= bytes.count
        ? (true, max(index, known - base)) : (false, max(index, bytes.count - kept))
    }
    guard let start = bytes.baseAddress else { return (false, index) }
    var position = index
    while bytes.count - position >= RecordHeader.length {
      defer { position += 1 }
      guard let header = RecordHeader(start + position, version: version), isPlausible(header) else {
        continue
      }
      let next = position + header.recordLength
      if bytes.count - next >= RecordHeader.length {
        if RecordHeader(start + next, version: version) != nil { return (true, position) }
      } else if !isRunEnd {
        return (false, max(index, position - kept))
      } else if next <= bytes.count {
        return (true, position)
      }
    }
    return (false, max(index, position - kept))
  }

  private func isPlausible(_ header: RecordHeader) -> Bool {
    switch phase {
    case .protected(let opener, _): opener.isPlausible(header.fragmentLength)
    case .traffic(let keys):
      header.type == RecordHeader.ContentType.application
        && header.fragmentLength >= keys?.opener.minimumFragment ?? 9
    case .plain, .pending, .unreadable: header.fragmentLength > 0
    }
  }

  /// The version that headers have; nil as long as any will do.
  private var version: UInt16? {
    switch phase {
    case .protected(let opener, _): opener.version.recordVersion
    case .traffic: TLSVersion.tls12.rawValue
    case .plain, .pending, .unreadable: nil
    }
  }

  private func resumeCipher(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, base: Int) {
    guard case .protected(let opener, _) = phase else { return }
    let first = max(max(0, index - 64), runOffset - base)
    opener.resume(after: UnsafeBufferPointer(rebasing: bytes[min(first, index)..<index]))
  }

  // MARK: - Framing of SSL 2.0

  private func ssl2Length(_ start: UnsafePointer<UInt8>) -> Int? {
    guard isClient, start[0] & 0x80 != 0, start[2] == 1, start[3] == 3 else { return nil }
    return 2 + (Int(start[0] & 0x7f) << 8 | Int(start[1]))
  }
}
