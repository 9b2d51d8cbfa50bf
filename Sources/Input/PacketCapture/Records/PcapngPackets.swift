import Basics

/// A whole block, or one truncated by the end of the file. Indices are of the window.
struct PcapngFrame {
  var start: Int
  /// After the body: the second length is here, or the file ends.
  var bodyEnd: Int
  var end: Int
  var order: FileByteOrder
  var fileOffset: Int

  var bodyLength: Int { bodyEnd &- start &- PcapngBlock.headLength }
}

extension PcapngRecords {
  /// An Enhanced Packet Block (section 4.3), or an obsolete Packet Block (appendix A), whose interface number
  /// has 16 bits.
  @inline(__always)
  mutating func readPacket(_ frame: PcapngFrame, isObsolete: Bool, in window: RawSpan) -> NextRecord {
    guard frame.bodyLength >= 20 else { return tooShort(frame) }
    let (order, index) = (frame.order, frame.start)
    let number =
      isObsolete
      ? Int(order.uint16(in: window, at: index &+ 8)) : Int(order.uint32(in: window, at: index &+ 8))
    let interfaces = interfaces
    guard number < interfaces.count, let linkType = interfaces[number].linkType else {
      return noInterface(number, frame)
    }
    let high = UInt64(order.uint32(in: window, at: index &+ 12))
    let low = UInt64(order.uint32(in: window, at: index &+ 16))
    let captured = Int(order.uint32(in: window, at: index &+ 20))
    let start = index &+ 28
    // Only the end of the file may truncate a packet.
    guard captured <= maxPacket, captured <= frame.bodyEnd &- start || frame.bodyEnd == frame.end else {
      return tooLong(captured, frame.bodyEnd &- start, frame)
    }
    packets &+= 1
    return .packet(
      PacketRecord(
        number: packets, time: interfaces[number].resolution.time(of: high << 32 | low),
        linkType: linkType, start: start, capturedLength: min(captured, frame.bodyEnd &- start),
        originalLength: Int(order.uint32(in: window, at: index &+ 24)),
        fileOffset: frame.fileOffset &+ 28, isCutByFile: captured > frame.bodyEnd &- start), end: frame.end)
  }

  /// A Simple Packet Block (section 4.4): of the section's first interface, without a time. The captured length
  /// follows from the snap length.
  mutating func readSimplePacket(_ frame: PcapngFrame, in window: RawSpan) -> NextRecord {
    guard frame.bodyLength >= 4 else { return tooShort(frame) }
    guard let interface = interfaces.first, let linkType = interface.linkType else {
      return noInterface(0, frame)
    }
    let original = Int(frame.order.uint32(in: window, at: frame.start + 8))
    let limit = interface.snapLength == 0 ? Int.max : Int(interface.snapLength)
    let start = frame.start + 12
    let room = frame.bodyEnd - start
    let captured = min(original, limit, room)
    guard captured <= maxPacket else { return tooLong(captured, captured, frame) }
    packets &+= 1
    return .packet(
      PacketRecord(
        number: packets, time: nil, linkType: linkType, start: start, capturedLength: captured,
        originalLength: original, fileOffset: frame.fileOffset + 12,
        isCutByFile: frame.bodyEnd == frame.end && min(original, limit) > room), end: frame.end)
  }

  mutating func readInterface(_ frame: PcapngFrame, in window: RawSpan) -> NextRecord {
    guard interfaces.count < Self.maxInterfaces else {
      return damaged(
        frame,
        "interface \(interfaces.count) of a section, above the limit of \(Self.maxInterfaces)")
    }
    let interface = PcapngInterface(at: frame.start, to: frame.bodyEnd, in: window, order: frame.order)
    // An unreadable one takes a number as well.
    interfaces.append(interface)
    return interface.linkType == nil ? tooShort(frame) : .skipped(end: frame.end)
  }

  /// Interfaces are numbered from 0 in each section.
  mutating func readSection(_ frame: PcapngFrame, in window: RawSpan) -> NextRecord {
    order = frame.order
    interfaces.removeAll(keepingCapacity: true)
    guard frame.bodyLength >= 16 else { return tooShort(frame) }
    let major = frame.order.uint16(in: window, at: frame.start + 12)
    let minor = frame.order.uint16(in: window, at: frame.start + 14)
    if major == 1 { return .skipped(end: frame.end) }
    return damaged(
      frame,
      "a pcapng section of version \(Int(major)).\(Int(minor)), expected 1.0; its blocks are read as "
        + "version 1.0")
  }

  mutating func readSecrets(_ frame: PcapngFrame, in window: RawSpan) -> NextRecord {
    guard frame.bodyLength >= 8 else { return tooShort(frame) }
    let length = Int(frame.order.uint32(in: window, at: frame.start + 12))
    guard length <= frame.bodyLength - 8 else {
      return damaged(frame, "secrets of \(length) bytes in a block with room for \(frame.bodyLength - 8)")
    }
    secretsCount &+= 1
    latestSecrets = DecryptionSecrets(
      type: frame.order.uint32(in: window, at: frame.start + 8),
      fileOffset: frame.fileOffset + 16, length: length)
    return .skipped(end: frame.end)
  }

  /// An unreadable section header begins a section nevertheless: earlier interfaces no longer apply.
  mutating func skip(at index: Int, in window: RawSpan) {
    guard window.byteCount - index >= 4,
      FileByteOrder.little.uint32(in: window, at: index) == PcapngBlock.Kind.sectionHeader.rawValue
    else { return }
    interfaces.removeAll(keepingCapacity: true)
  }

  /// A block of the other byte order belongs to a section whose header was lost.
  mutating func resume(at index: Int, in window: RawSpan) {
    guard let block = Self.knownBlock(at: index, in: window), block.order != order else { return }
    order = block.order
    interfaces.removeAll(keepingCapacity: true)
  }
}

extension PcapngRecords {
  private func tooShort(_ frame: PcapngFrame) -> NextRecord {
    damaged(frame, "a block of \(frame.end - frame.start) bytes, too short for its type")
  }

  private func noInterface(_ number: Int, _ frame: PcapngFrame) -> NextRecord {
    damaged(
      frame,
      "a packet of interface \(number), but the section has \(Count.of(interfaces.count, "interface"))")
  }

  private func tooLong(_ captured: Int, _ room: Int, _ frame: PcapngFrame) -> NextRecord {
    damaged(
      frame,
      "a packet of \(captured) captured bytes, expected at most \(min(room, maxPacket)) in its block")
  }

  private func damaged(_ frame: PcapngFrame, _ cause: Message) -> NextRecord {
    .damaged(
      StreamFinding(
        .damagedCapture, length: frame.end - frame.start, fileOffset: frame.fileOffset,
        message: .damage(cause, afterPacket: packets)), end: frame.end)
  }

  func reason(at index: Int, in window: RawSpan) -> Message {
    let available = window.byteCount - index
    guard available >= PcapngBlock.frameLength else {
      return "\(Count.of(available, "byte")) left, a block has at least \(PcapngBlock.frameLength)"
    }
    guard let block = PcapngBlock(at: index, in: window, order: order) else {
      return "a block without a valid section header before it"
    }
    let length = block.totalLength
    if length < PcapngBlock.frameLength || length > maxBlock {
      return "a block of \(length) bytes, expected \(PcapngBlock.frameLength) to \(maxBlock)"
    }
    if length > available { return "a block of \(length) bytes, the file has \(available) left" }
    let closing = block.order.uint32(in: window, at: index + length - 4)
    return "a block of \(length) bytes by its first length and \(Int(closing)) by its second"
  }
}
