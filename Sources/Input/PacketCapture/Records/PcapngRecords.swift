/// The packets of a pcapng file: a chain of blocks, in sections with their own byte order and interfaces. The equal
/// lengths at both ends of a block confirm it.
struct PcapngRecords: RecordFormat {
  static let unit = "block"
  /// Allowance for the rest of a block, in bytes: options, names, secrets.
  static let blockAllowance = 1 << 20
  /// After damage only blocks up to this length are plausible, in bytes.
  static let maxPlausible = 512 << 10
  /// Limit of interfaces in a section; a capture has a handful.
  static let maxInterfaces = 65_536

  var packets = 0
  /// Decryption Secrets Blocks seen, and the last one.
  var secretsCount = 0
  var latestSecrets: DecryptionSecrets?
  /// Nil before the first section.
  var order: FileByteOrder?
  var interfaces: [PcapngInterface] = []
  let maxPacket: Int
  let maxBlock: Int

  init(maxPacket: Int) {
    self.maxPacket = maxPacket
    // A block's length is a 32-bit number.
    maxBlock = min(maxPacket, Int(UInt32.max)) + Self.blockAllowance
  }

  mutating func readHead(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? { nil }

  mutating func restart(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? { nil }

  @inline(__always)
  mutating func readStrict(at index: Int, in window: RawSpan, _ location: WindowLocation) -> NextRecord? {
    let available = window.byteCount &- index
    guard available >= PcapngBlock.frameLength,
      let block = PcapngBlock(at: index, in: window, order: order),
      block.totalLength >= PcapngBlock.frameLength, block.totalLength <= min(maxBlock, available)
    else { return nil }
    let end = index &+ block.totalLength
    guard block.isClosed(before: end, in: window) else { return nil }
    let frame = PcapngFrame(
      start: index, bodyEnd: end &- 4, end: end, order: block.order, fileOffset: location.offset &+ index)
    // Fast path for nearly all blocks; the others are handled out of line.
    return block.type == PcapngBlock.Kind.enhancedPacket.rawValue
      ? readPacket(frame, isObsolete: false, in: window) : read(block, frame, in: window)
  }

  func assess(at index: Int, in window: RawSpan, isLast: Bool) -> RecordAssessment {
    let available = window.byteCount &- index
    guard available >= PcapngBlock.frameLength else {
      if !isLast { return .needs(PcapngBlock.frameLength) }
      return available == 0 ? .ended : .suspect(end: window.byteCount, isReadable: false, damage: nil)
    }
    guard let block = PcapngBlock(at: index, in: window, order: order),
      block.totalLength >= PcapngBlock.frameLength, block.totalLength <= maxBlock
    else { return .broken }
    guard block.totalLength <= available else {
      return isLast ? assessCut(block, from: index, in: window) : .needs(block.totalLength)
    }
    return assessOpen(block, from: index, to: index &+ block.totalLength, in: window, isLast: isLast)
  }

  /// A block truncated by the end of the file: the available part of a packet is read.
  private func assessCut(_ block: PcapngBlock, from index: Int, in window: RawSpan) -> RecordAssessment {
    let end = window.byteCount
    let isReadable = block.kind?.packetStart.map { index + $0 <= end } ?? false
    return .suspect(end: end, isReadable: isReadable, damage: index..<end)
  }

  /// A block whose two lengths differ is read if its kind is known and another known block, or the end of the file,
  /// follows at its first length: then only the second is wrong.
  private func assessOpen(
    _ block: PcapngBlock, from index: Int, to end: Int, in window: RawSpan, isLast: Bool
  ) -> RecordAssessment {
    var isReadable = isLast && end == window.byteCount
    if !isReadable {
      switch isBlock(at: end, order: block.order, in: window, isLast: isLast) {
      case .needs(let count): return .needs(end - index + count)
      case .yes: isReadable = true
      case .no, .noneBefore: break
      }
    }
    let isKnown = block.kind.map { block.totalLength >= $0.minLength } ?? false
    return .suspect(end: end, isReadable: isReadable && isKnown, damage: end - 4..<end)
  }

  /// Whether a block of a known kind and a valid length begins at `index`.
  private func isBlock(
    at index: Int, order: FileByteOrder, in window: RawSpan, isLast: Bool
  ) -> RecordPlausibility {
    guard window.byteCount - index >= PcapngBlock.frameLength else {
      return isLast ? .no : .needs(PcapngBlock.frameLength)
    }
    guard let block = PcapngBlock(at: index, in: window, order: order), let kind = block.kind,
      (kind.minLength...Self.maxPlausible).contains(block.totalLength), block.totalLength & 3 == 0
    else { return .no }
    return .yes
  }

  /// A block is plausible if its kind is known, its fields fit its length, and its two lengths are equal: for random
  /// bytes once in 2^70 cases, so the next block need not be checked.
  func plausibility(at index: Int, suspect: Int?, in window: RawSpan, isLast: Bool) -> RecordPlausibility {
    let available = window.byteCount &- index
    guard available >= PcapngBlock.frameLength else { return isLast ? .no : .needs(PcapngBlock.frameLength) }
    guard let block = Self.knownBlock(at: index, in: window), let kind = block.kind,
      block.order == order || kind == .sectionHeader || kind == .interfaceDescription,
      block.totalLength & 3 == 0, block.totalLength >= kind.minLength,
      block.totalLength <= min(Self.maxPlausible, maxBlock)
    else { return .no }
    guard block.totalLength <= available else { return isLast ? .no : .needs(block.totalLength) }
    let end = index &+ block.totalLength
    return block.isClosed(before: end, in: window) && fits(block, kind, from: index, in: window) ? .yes : .no
  }

  /// The block of a known kind in either byte order. In the other byte order than the section's, only a section
  /// header or an interface may be accepted: the latter if its section's header was lost. All others could be blocks
  /// of the section's order read three bytes too early, `.. 00 00 00` `06 00 00 00`.
  @inline(__always)
  static func knownBlock(at index: Int, in window: RawSpan) -> PcapngBlock? {
    let type = FileByteOrder.little.uint32(in: window, at: index)
    if PcapngBlock.Kind(rawValue: type) != nil { return PcapngBlock(at: index, in: window, order: .little) }
    return PcapngBlock.Kind(rawValue: type.byteSwapped) != nil
      ? PcapngBlock(at: index, in: window, order: .big) : nil
  }

  /// Small numbers in a packet's bytes can look like a block's frame; contradictory fields rule that out.
  private func fits(
    _ block: PcapngBlock, _ kind: PcapngBlock.Kind, from index: Int, in window: RawSpan
  ) -> Bool {
    switch kind {
    case .enhancedPacket, .packet:
      let captured = Int(block.order.uint32(in: window, at: index + 20))
      return captured <= maxPacket && 32 + (captured + 3) & ~3 <= block.totalLength
    case .interfaceDescription:
      let linkType = block.order.uint16(in: window, at: index + 8)
      return block.order.uint16(in: window, at: index + 10) == 0 && (block.order == order || linkType != 0)
    case .decryptionSecrets:
      return 20 + Int(block.order.uint32(in: window, at: index + 12)) <= block.totalLength
    case .simplePacket, .nameResolution, .interfaceStatistics, .custom, .uncopiedCustom, .sectionHeader:
      return true
    }
  }

  mutating func read(at index: Int, to end: Int, isCut: Bool, in window: RawSpan, _ location: WindowLocation)
    -> NextRecord
  {
    // The assessment has read the same block.
    guard let block = PcapngBlock(at: index, in: window, order: order) else { return .skipped(end: end) }
    let frame = PcapngFrame(
      start: index, bodyEnd: isCut ? end : end &- 4, end: end, order: block.order,
      fileOffset: location.offset &+ index)
    return read(block, frame, in: window)
  }

  @inline(never)
  private mutating func read(_ block: PcapngBlock, _ frame: PcapngFrame, in window: RawSpan) -> NextRecord {
    switch block.kind {
    case .enhancedPacket: readPacket(frame, isObsolete: false, in: window)
    case .packet: readPacket(frame, isObsolete: true, in: window)
    case .simplePacket: readSimplePacket(frame, in: window)
    case .interfaceDescription: readInterface(frame, in: window)
    case .sectionHeader: readSection(frame, in: window)
    case .decryptionSecrets: readSecrets(frame, in: window)
    case .nameResolution, .interfaceStatistics, .custom, .uncopiedCustom, nil: .skipped(end: frame.end)
    }
  }
}
