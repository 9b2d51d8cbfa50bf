import WireBytes

/// Reads the packets of a capture file, pcap or pcapng, from windows of any size. No I/O.
///
///     var records = CaptureRecords(kind: kind, maxPacket: options.maxPacket)
///     loop: while true {
///       switch records.next(in: window, from: index, windowOffset: offset, isLast: isLast) {
///       case .packet(let record, let end): use(record); index = end
///       case .passedOver(let end): index = end
///       case .damaged(let anomaly, let end): report(anomaly); index = end
///       case .needsBytes(let count): make(window, begin: index, andHold: count)
///       case .unreadable(let fault): report(fault)
///       case .finished: break loop
///       }
///     }
///
/// What is read does not depend on how the file was cut into windows. Every byte of it is in a packet's record,
/// in a range that was skipped, or in one that was told as damaged.
package struct CaptureRecords {
  package enum Kind: String, Sendable {
    case pcap, pcapng
  }

  /// What stands next in the file. `end` is the index in the window after it, from which to go on. What is
  /// seldom said is boxed, so that a step with a packet is small and holds nothing to release.
  package enum Step {
    case packet(PacketRecord, end: Int)
    /// A header, a block without a packet, or bytes of a damaged range whose end is not known yet.
    case passedOver(end: Int)
    /// Bytes that cannot be read (finding `damaged-capture`): a range of the file, which may begin before the
    /// window. After a packet that was cut, it has that packet's bytes, too.
    indirect case damaged(StreamAnomaly, end: Int)
    /// Needs a window with at least this many bytes from the index on: at most `maxPacket` and 2 MiB.
    /// Never with the last window.
    case needsBytes(Int)
    /// The file cannot be read at all; `finished` follows.
    indirect case unreadable(InputFault)
    /// The file has been read to its end. Only with the last window, or after `unreadable`.
    case finished
  }

  package let kind: Kind
  // Both stand side by side, since one enum of them would be copied for each record.
  private var pcap: RecordWalk<PcapRecords>
  private var pcapng: RecordWalk<PcapngRecords>

  /// - Parameter maxPacket: a record that claims more captured bytes is damage.
  package init(kind: Kind, maxPacket: Int) {
    self.kind = kind
    pcap = RecordWalk(PcapRecords(maxPacket: max(0, maxPacket)))
    pcapng = RecordWalk(PcapngRecords(maxPacket: max(0, maxPacket)))
  }

  /// What the file that begins with `head` is; nil for no capture. 24 bytes decide.
  package static func recognises(_ head: RawSpan) -> Kind? {
    guard head.byteCount >= 8 else { return nil }
    let magic = FileByteOrder.little.uint32(in: head, at: 0)
    if magic == PcapngBlock.Kind.sectionHeader.rawValue { return .pcapng }
    guard let variant = PcapHeader.Variant(magic: magic) else { return nil }
    let major = variant.order.uint16(in: head, at: 4)
    if major == 2 { return .pcap }
    // 4d3cb2a1 is also a tuple's time, in January 2011. The others lie in 1998, 2055 and 2083, where no tuple's
    // does: with them, a file of another version is a pcap file as well.
    return head.bigEndianUInt32(at: 0) == 0x4d3c_b2a1 ? nil : .pcap
  }

  /// The first 1024 Decryption Secrets Blocks of the file that were read so far, and how many there were.
  package var secrets: [DecryptionSecrets] { pcapng.format.secrets }
  package var secretsCount: Int { pcapng.format.secretsCount }

  /// How many packets have been read so far: the number of the last one, from 1.
  package var packets: Int { kind == .pcap ? pcap.format.packets : pcapng.format.packets }

  /// - Parameters:
  ///   - index: index in the window from which on to read; after what the last step told.
  ///   - windowOffset: offset in the file of the window's first byte.
  ///   - isLast: whether the file ends with the window.
  package mutating func next(
    in window: RawSpan, from index: Int, windowOffset: Int, isLast: Bool
  ) -> Step {
    switch kind {
    case .pcap: pcap.next(in: window, from: index, windowOffset: windowOffset, isLast: isLast)
    case .pcapng: pcapng.next(in: window, from: index, windowOffset: windowOffset, isLast: isLast)
    }
  }
}

/// One packet as a capture file holds it; its bytes lie in the window that it was read from.
package struct PacketRecord: Equatable, Sendable {
  /// Its number in the file, from 1.
  package var number: Int
  /// Nil where the record has none (simple packet blocks).
  package var time: CaptureTime?
  package var linkType: LinkType
  /// Index in the window (from 0) of its first captured byte, and how many were captured.
  package var start: Int
  package var capturedLength: Int
  /// How long the packet was on the wire, in bytes; less than captured only in damaged records.
  package var originalLength: Int
  /// Offset in the file (from 0, after decompression) of its first captured byte.
  package var fileOffset: Int
  /// Whether the file ends before the last byte that was captured.
  package var isCutByFile: Bool

  package init(
    number: Int, time: CaptureTime?, linkType: LinkType, start: Int, capturedLength: Int,
    originalLength: Int, fileOffset: Int, isCutByFile: Bool = false
  ) {
    self.number = number
    self.time = time
    self.linkType = linkType
    self.start = start
    self.capturedLength = capturedLength
    self.originalLength = originalLength
    self.fileOffset = fileOffset
    self.isCutByFile = isCutByFile
  }
}

/// Where a pcapng file keeps the keys of encrypted streams (Decryption Secrets Block).
package struct DecryptionSecrets: Equatable, Sendable {
  /// What the keys are: 0x544c534b, `TLSK`, is a TLS key log.
  package var type: UInt32
  /// Offset in the file (from 0, after decompression) of their first byte, and how many bytes they are.
  package var fileOffset: Int
  package var length: Int
  /// How many packets stand before them.
  package var packetsBefore: Int
}

/// The number that a capture file gives to the layer its packets begin with (tcpdump.org, "Link-layer header
/// types"). Names come from libpcap, which is the authority on them.
package struct LinkType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}
