import Basics

/// What the TCP checksum of the segment with a byte can prove.
enum ChecksumEvidence: BitwiseCopyable {
  /// The whole segment is in the file: the byte is `before` bytes after its header's beginning, `length` are all.
  case inFile(before: Int32, length: Int32)
  /// The segment came in fragments; the number of the packet that completed it.
  case verified(isRight: Bool?, by: UInt32)
  /// Nothing: the packet is cut, or a tool exported its data without headers.
  case none

  init(_ segment: TCPSegment) {
    let length = segment.headerLength &+ segment.payloadLength
    self =
      segment.headerLength == 0 || segment.missingLength > 0
      ? .none
      : .inFile(
        before: Int32(truncatingIfNeeded: segment.headerLength), length: Int32(truncatingIfNeeded: length))
  }

  func advanced(by count: Int) -> ChecksumEvidence {
    guard case .inFile(let before, let length) = self else { return self }
    return .inFile(before: before &+ Int32(truncatingIfNeeded: count), length: length)
  }
}

/// The checksum of TCP (RFC 9293, section 3.1; RFC 1071): 16-bit words add up to a multiple of 65535. So do words of 32
/// bits, as 2^16 leaves the remainder 1.
enum SegmentChecksum {
  /// Nil if the host left it to its network card: the field has the sum of the pseudo-header alone, or 0.
  /// - Parameter segment: the header, of at least 20 bytes, and all data.
  static func isRight(_ segment: RawSpan, from source: IPAddress, to destination: IPAddress) -> Bool? {
    let tcp: UInt64 = 6
    var sum = tcp &+ UInt64(segment.byteCount)
    for word in [source.high, source.low, destination.high, destination.low] { sum &+= word % 0xffff }
    let field = UInt64(segment.bigEndianUInt16(at: 16))
    if field == 0 || field % 0xffff == sum % 0xffff { return nil }
    var index = 0
    while index &+ 4 <= segment.byteCount {
      sum &+= UInt64(segment.bigEndianUInt32(at: index))
      index &+= 4
    }
    for (offset, rest) in (index..<segment.byteCount).enumerated() {
      sum &+= UInt64(segment.byte(at: rest)) &<< UInt64(24 &- 8 &* offset)
    }
    return sum % 0xffff == 0
  }
}

/// Which of two different copies of the same bytes counts.
enum CopyChoice {
  case first, second, neither
}

/// Checksums are computed only where copies differ (docs/decisions/inputs.md#48-copies).
extension StreamOutput {
  /// Decides between two copies.
  /// - Parameter others: segments of the same side, which show whether its checksums mean anything.
  mutating func choice(
    between first: PayloadOrigin, and second: PayloadOrigin, others: [PayloadOrigin]
  ) -> CopyChoice {
    guard first.packet.input == second.packet.input, let ofFirst = isRight(first),
      let ofSecond = isRight(second), ofFirst != ofSecond
    else { return .neither }
    // A host that leaves checksums to its network card has wrong ones in a capture of its own.
    var (surplus, counted) = (1, [first.segment, second.segment])
    for other in others where other.packet.input == second.packet.input && !counted.contains(other.segment) {
      counted.append(other.segment)
      if let isRight = isRight(other) { surplus += isRight ? 1 : -1 }
    }
    guard surplus > 0 else { return .neither }
    return ofFirst ? .first : .second
  }

  /// Whether the checksum of the segment at `origin` is right, if `copy` replaces the bytes from there on; nil if it cannot
  /// be verified.
  mutating func isRight(_ origin: PayloadOrigin, with copy: RawSpan = RawSpan()) -> Bool? {
    switch origin.checksum {
    case .none: return nil
    case .verified(let isRight, _): return copy.isEmpty ? isRight : nil
    case .inFile(let before, let length):
      // Many copies of long segments must not take quadratic time.
      guard verifiedBytes < (packetsRead &+ Self.usualWindow) &* Self.verifiedPerPacket else { return nil }
      verifiedBytes &+= Int(length)
      let start = origin.fileOffset &- Int(before)
      var isRight: Bool?
      _ = withBytes(at: start..<start &+ Int(length)) { output, segment in
        // The sum is the same in both directions.
        let (one, other) = output.peers
        var bytes = segment.withUnsafeBytes { Array($0) }
        for index in 0..<copy.byteCount { bytes[Int(before) &+ index] = copy.byte(at: index) }
        isRight = SegmentChecksum.isRight(bytes.span.bytes, from: one.address, to: other.address)
      }
      return isRight
    }
  }
}
