import APNsWire
import PacketCapture
import WireBytes

/// What a stream speaks.
package enum StreamProtocol: String, CaseIterable, Sendable {
  case feedback, gateway, encrypted, other
}

/// One stream, once it has been read.
package struct StreamSummary: Equatable, Sendable {
  package var source: String
  package var number: Int
  package var speaks: StreamProtocol
  /// `address:port` of either end, IPv6 in brackets; nil where the source has no peers.
  package var client: String?
  package var server: String?
  /// Which side was held to be the server.
  package var serverSide = Side.second
  /// Numbers (from 1) and times of its first and last packet; nil where there are none.
  package var firstPacket: Int?
  package var lastPacket: Int?
  package var startedAt: CaptureTime?
  package var endedAt: CaptureTime?
  /// Bytes of the client's and of the server's direction, and how many of each are missing.
  package var clientBytes = 0
  package var serverBytes = 0
  package var clientGapBytes = 0
  package var serverGapBytes = 0
  package var records = 0
  package var findings = 0
  /// What became of the requests of a gateway connection; nil for other streams.
  package var gateway: GatewayCounts?

  /// Whether it was read as a protocol that it may not speak: none of its bytes is in a record.
  package var isUnrecognised: Bool {
    (speaks == .feedback || speaks == .gateway) && records == 0 && serverBytes &+ clientBytes > 0
  }

  package init(source: String, number: Int, speaks: StreamProtocol) {
    self.source = source
    self.number = number
    self.speaks = speaks
  }

  mutating func setPackets(_ report: StreamReport) {
    firstPacket = report.firstPacket?.number
    lastPacket = report.lastPacket?.number
    startedAt = report.firstPacket?.time
    endedAt = report.lastPacket?.time
  }

  mutating func add(bytes: Int, gapBytes: Int, from direction: Direction) {
    switch direction {
    case .client:
      clientBytes &+= bytes
      clientGapBytes &+= gapBytes
    case .server:
      serverBytes &+= bytes
      serverGapBytes &+= gapBytes
    }
  }
}

/// One input, once it has been read.
package struct InputSummary: Equatable, Sendable {
  package var source: String
  /// The name that `--from` has for how it was stored; nil where it was not read.
  package var format: String?
  /// The name of the file's compression; nil without one.
  package var compression: String?
  /// Bytes of the file that were read, as it lies on disk.
  package var bytes: Int
  /// 64 hex digits; nil where the digest was not asked for.
  package var sha256: String?

  /// `pcap` or `pcapng`, and how many packets it holds; nil where the input is no capture.
  package var captureKind: String?
  package var packets: Int?
  /// The input before it that holds the same bytes; nil where none is known.
  package var sameBytesAs: String?

  package init(
    source: String, format: String?, compression: String? = nil, bytes: Int, sha256: String?
  ) {
    self.source = source
    self.format = format
    self.compression = compression
    self.bytes = bytes
    self.sha256 = sha256
  }
}

/// Counts over everything that was read. `recordBytes + skippedBytes + truncatedBytes == streamBytes`.
package struct Summary: Equatable, Sendable {
  package var streams = 0
  /// Bytes of the directions that were decoded, without gaps.
  package var streamBytes = 0
  package var recordBytes = 0
  package var skippedBytes = 0
  package var truncatedBytes = 0
  /// Bytes of directions that were not decoded.
  package var undecodedBytes = 0
  package var gapBytes = 0
  package var feedback = 0
  package var gateway = GatewayCounts()
  /// Nil where they were not asked for.
  package var distinctTokens: Int?
  package var findings: [FindingCode: Int] = [:]
  /// How many records carry each flag, in the order of `RecordFlags.all`.
  package var flags = [Int](repeating: 0, count: RecordFlags.all.count)
  /// The times of the records without `implausible-timestamp`, in seconds since 1970; nil without any.
  package var times: ClosedRange<UInt32>?

  package init() {}

  package func findingCount(_ severity: Severity) -> Int {
    findings.reduce(0) { $0 + ($1.key.severity == severity ? $1.value : 0) }
  }

  /// Findings of that severity and of worse ones.
  package func findingCount(from severity: Severity) -> Int {
    findings.reduce(0) { $0 + ($1.key.severity <= severity ? $1.value : 0) }
  }

  /// The flags that records carry, by code, with how many do.
  package var flagCounts: [(code: String, count: Int)] {
    zip(RecordFlags.all, flags).filter { $1 > 0 }.map { ($0.code, $1) }
  }

  mutating func count(_ flags: RecordFlags, times count: Int = 1) {
    if flags.isEmpty { return }
    for (index, entry) in RecordFlags.all.enumerated() where flags.contains(entry.flag) {
      self.flags[index] &+= count
    }
  }

  mutating func count(_ run: RecordRun) {
    feedback &+= run.count
    recordBytes &+= run.count &* run.stride
    count(run.flags, times: run.count)
    if !run.flags.contains(.implausibleTimestamp) {
      let known = times ?? run.earliest...run.earliest
      times = min(known.lowerBound, run.earliest)...max(known.upperBound, run.latest)
    }
  }
}
