import Basics

/// Reads the packets of a capture file, pcap, pcapng or snoop, from windows of any size. No I/O.
///
///     var records = CaptureRecords(kind: kind, maxPacket: options.maxPacket)
///     loop: while true {
///       switch records.next(in: window, from: index, windowOffset: offset, isLast: isLast) {
///       case .packet(let record, let end): use(record); index = end
///       case .skipped(let end): index = end
///       case .damaged(let finding, let end): report(finding); index = end
///       case .needsBytes(let count): make(window, begin: index, andHold: count)
///       case .unreadable(let error): report(error)
///       case .finished: break loop
///       }
///     }
///
/// The result does not depend on how the file is divided into windows. Every byte of the file belongs to a packet's
/// record, to a skipped range, or to a range reported as damaged.
package struct CaptureRecords {
  package enum FileFormat: String, Sendable {
    case pcap, pcapng, snoop
  }

  /// The next item of the file. `end` is the index in the window after it, from which to continue. Rare payloads are
  /// boxed, so that a step with a packet is small and has nothing to release.
  package enum NextRecord {
    case packet(PacketRecord, end: Int)
    /// A header, a block without a packet, or bytes of a damaged range whose end is not known yet.
    case skipped(end: Int)
    /// Unreadable bytes (finding `damaged-capture`): a range of the file, which may begin before the window. After a
    /// truncated packet it includes that packet's bytes.
    indirect case damaged(StreamFinding, end: Int)
    /// Needs a window with at least this number of bytes from the index on: at most `maxPacket` and 2 MiB. Never with
    /// the last window.
    case needsBytes(Int)
    /// The file cannot be read at all; `finished` follows.
    indirect case unreadable(InputError)
    /// The file has been read to its end. Only with the last window, or after `unreadable`.
    case finished
  }

  package let kind: FileFormat
  // Two properties, because one enum of them would be copied for each record.
  private var pcap: RecordReader<PcapRecords>
  private var pcapng: RecordReader<PcapngRecords>

  /// - Parameter maxPacket: a record that claims more captured bytes is damage.
  package init(kind: FileFormat, maxPacket: Int) {
    self.kind = kind
    pcap = RecordReader(PcapRecords(maxPacket: max(0, maxPacket)))
    pcapng = RecordReader(PcapngRecords(maxPacket: max(0, maxPacket)))
  }

  /// The kind of the capture that begins with `head`; nil if it is not a capture. Needs 24 bytes.
  package static func recognises(_ head: RawSpan) -> FileFormat? {
    guard head.byteCount >= 8 else { return nil }
    let magic = FileByteOrder.little.uint32(in: head, at: 0)
    if magic == PcapngBlock.Kind.sectionHeader.rawValue { return .pcapng }
    if PcapHeader.isSnoop(head, at: 0) { return .snoop }
    guard let header = PcapHeader(magic: magic) else { return nil }
    let major = header.order.uint16(in: head, at: 4)
    if major == 2 { return .pcap }
    // 4d3cb2a1 is also a tuple's time, in January 2011. The others are times in 1998, 2055 and 2083, which no tuple
    // has: with them, a file of another version is a pcap file as well.
    return head.bigEndianUInt32(at: 0) == 0x4d3c_b2a1 ? nil : .pcap
  }

  /// The number of Decryption Secrets Blocks read so far, and the last one.
  package var secretsCount: Int { pcapng.format.secretsCount }
  package var latestSecrets: DecryptionSecrets? { pcapng.format.latestSecrets }

  /// Packets read so far: the number of the last one, from 1.
  package var packets: Int { kind == .pcapng ? pcapng.format.packets : pcap.format.packets }

  /// - Parameters:
  ///   - index: index in the window to read from: the `end` of the last step.
  ///   - windowOffset: offset in the file of the window's first byte.
  ///   - isLast: whether the file ends with the window.
  @inline(always)
  package mutating func next(
    in window: RawSpan, from index: Int, windowOffset: Int, isLast: Bool
  ) -> NextRecord {
    let location = WindowLocation(offset: windowOffset, isLast: isLast)
    return switch kind {
    case .pcap, .snoop: pcap.next(in: window, from: index, location)
    case .pcapng: pcapng.next(in: window, from: index, location)
    }
  }
}

typealias NextRecord = CaptureRecords.NextRecord

/// One packet of a capture file; its bytes are in the window that it was read from.
package struct PacketRecord: Equatable, Sendable {
  /// Its number in the file, from 1.
  package var number: Int
  /// Nil if the record has none (simple packet blocks).
  package var time: CaptureTime?
  package var linkType: LinkType
  /// Index in the window (from 0) of its first captured byte, and the number of captured bytes.
  package var start: Int
  package var capturedLength: Int
  /// Length of the packet on the wire, in bytes; less than captured only in damaged records.
  package var originalLength: Int
  /// Offset in the file (from 0, after decompression) of its first captured byte.
  package var fileOffset: Int
  /// Whether the file ends before the last captured byte.
  package var isCutByFile: Bool

  package init(
    number: Int, time: CaptureTime?, linkType: LinkType, start: Int, capturedLength: Int,
    originalLength: Int, fileOffset: Int, isCutByFile: Bool = false
  ) {
    (self.number, self.time, self.linkType, self.start) = (number, time, linkType, start)
    (self.capturedLength, self.originalLength) = (capturedLength, originalLength)
    (self.fileOffset, self.isCutByFile) = (fileOffset, isCutByFile)
  }

  @inline(__always)
  func isInside(_ window: RawSpan) -> Bool {
    start >= 0 && capturedLength >= 0 && start <= window.byteCount
      && capturedLength <= window.byteCount &- start
  }
}

/// Keys of encrypted streams in a pcapng file (Decryption Secrets Block).
package struct DecryptionSecrets: Equatable, Sendable {
  /// `TLSK`.
  static let keyLog: UInt32 = 0x544c_534b

  /// Type of the keys: 0x544c534b, `TLSK`, is a TLS key log.
  package var type: UInt32
  /// Offset in the file (from 0, after decompression) of the keys' first byte, and their length.
  package var fileOffset: Int
  package var length: Int
}

/// A capture file's number for the first protocol layer of its packets (tcpdump.org, "Link-layer header types").
/// Names come from libpcap, the authority on them.
package struct LinkType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }
}
