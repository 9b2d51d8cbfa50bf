import APNsPushes
import APNsWire
import Basics
import PacketCapture
import StreamInputs

package enum StreamProtocol: String, CaseIterable, Sendable {
  case feedback, gateway, http2
  /// Lines of a provider's log.
  case providerLog = "provider-log"
  case encrypted, other
}

/// Summary of a stream that has ended.
package struct StreamSummary: Equatable, Sendable {
  package var source: String
  package var number: Int
  package var streamProtocol: StreamProtocol
  /// `address:port` of each end, IPv6 in brackets; nil if the source has no addresses.
  package var client: String?
  package var server: String?
  package var serverSide = Side.second
  /// Numbers (from 1) and times of the first and last packet; nil without packets.
  package var firstPacket: Int?
  package var lastPacket: Int?
  package var startedAt: CaptureTime?
  package var endedAt: CaptureTime?
  /// Bytes received and missing in the client's and in the server's direction.
  package var clientBytes = 0
  package var serverBytes = 0
  package var clientGapBytes = 0
  package var serverGapBytes = 0
  package var records = 0
  package var findings = 0
  /// The outcomes of requests in a gateway connection; nil for other streams.
  package var gateway: GatewayCounts?
  /// The outcomes of pushes in HTTP/2 or a log; nil for other streams.
  package var pushes: PushCounts?
  /// Of broadcasts, and of requests for channels, in HTTP/2.
  package var broadcasts = PushCounts()
  package var channels = PushCounts()
  /// What read the lines of a log: `json 20, pushy 4 of 26 lines`; nil for other streams.
  package var forms: String?
  /// Of a TLS connection that keys were tried on.
  package var encryption: StreamEncryption?

  /// Whether the stream was decoded without any record, so that its protocol may be another one.
  package var isUnrecognised: Bool {
    [.feedback, .gateway, .providerLog].contains(streamProtocol) && records == 0
      && serverBytes &+ clientBytes > 0
  }

  package init(source: String, number: Int, streamProtocol: StreamProtocol) {
    (self.source, self.number, self.streamProtocol) = (source, number, streamProtocol)
  }
}

/// Summary of an input that was read.
package struct InputSummary: Equatable, Sendable {
  /// The archive that it is a member of. All its members share the text: a path may have 4 KB.
  private var archive: String?
  private var name: String
  package var source: String {
    get { archive.map { "\($0)!\(name)" } ?? name }
    set { (archive, name) = (nil, newValue) }
  }
  /// The format, as a value of `--from`; nil if the input was not read.
  package var format: String?
  /// The compression of the file; nil without one.
  package var compression: String?
  /// Bytes read from the file, before decompression.
  package var bytes: Int
  /// 64 hex digits; nil if the digest was not requested.
  package var sha256: String?

  /// `pcap` or `pcapng`, and the number of packets; nil if the input is not a capture.
  package var captureKind: String?
  package var packets: Int?
  /// Whether it is an archive, whose members are the next inputs.
  package var isArchive = false
  /// How many files contain it: more than 1 for a split image.
  package var parts = 1
  /// Offset of a member in its decompressed archive, from 0; nil if it is none.
  package var archiveOffset: Int?
  /// An earlier input with the same bytes; nil if none is known.
  package var sameBytesAs: String?

  /// Begins with a comma, if it is not empty.
  package var compressionText: String {
    if parts > 1 { return ", \(Count.of(parts, "file"))" }
    return switch compression {
    case EWFImage.name: ", from an E01 image"
    case UTF16Text.name?: ", UTF-16"
    case let name?: ", \(name)-compressed"
    case nil: ""
    }
  }

  package init(
    source: String, format: String?, compression: String? = nil, bytes: Int, sha256: String?,
    archive: String? = nil
  ) {
    name = archive.map { String(source.utf8.dropFirst($0.utf8.count + 1)) ?? source } ?? source
    (self.archive, self.format, self.compression, self.bytes) = (archive, format, compression, bytes)
    self.sha256 = sha256
  }
}

/// The tokens of all records, by what these say of them.
package struct TokenCounts: Equatable, Sendable {
  package internal(set) var all = 0
  /// With a request or a push.
  package internal(set) var sentTo = 0
  /// With a time of invalidation.
  package internal(set) var invalidated = 0
  /// With a doubtful record, and with a recovered one.
  package internal(set) var doubtful = 0
  package internal(set) var recovered = 0
  /// With a send after their 410, and the number of these sends.
  package internal(set) var sentAfter410 = 0
  package internal(set) var sendsAfter410 = 0

  package init() {}
}

/// Counts of all inputs. `recordBytes + skippedBytes + truncatedBytes == streamBytes`.
package struct Summary: Equatable, Sendable {
  package var streams = 0
  /// Bytes in decoded directions, without gaps.
  package var streamBytes = 0
  package var recordBytes = 0
  package var skippedBytes = 0
  package var truncatedBytes = 0
  /// Bytes in directions that were not decoded.
  package var undecodedBytes = 0
  package var gapBytes = 0
  package var feedback = 0
  package var gateway = GatewayCounts()
  package var requests = ByService(PushTally())
  package var pushes: PushTally { requests.pushes }
  /// Nil if they were not counted.
  package var distinctTokens: Int?
  /// Of pushes in `inspect`, of all records in a report; nil if they were not counted.
  package var tokens: TokenCounts?
  package var providerKeys = ProviderKeys()
  package var findings: [FindingCode: Int] = [:]
  /// Packets that contradicted bytes which had been decoded.
  package var lateConflicts = 0
  /// The number of records with each flag, in the order of `RecordFlags.all`.
  package var flags = [Int](repeating: 0, count: RecordFlags.all.count)
  /// Range of the times without `implausible-timestamp`, in seconds since 1970; nil without any.
  package var times: ClosedRange<UInt32>?

  package init() {}

  package func findingCount(_ severity: Severity) -> Int {
    findings.reduce(0) { $0 + ($1.key.severity == severity ? $1.value : 0) }
  }

  /// The number of findings with the given severity or a worse one.
  package func findingCount(from severity: Severity) -> Int {
    findings.reduce(0) { $0 + ($1.key.severity <= severity ? $1.value : 0) }
  }

  /// Records of all kinds.
  package var recordCount: Int {
    ServiceRequest.Kind.allCases.reduce(feedback &+ gateway.requests &+ gateway.responses) {
      $0 &+ requests[$1].counts.all
    }
  }

  /// The code and number of records of each flag that occurs.
  package var flagCounts: [(code: String, count: Int)] {
    let ofRecords = zip(RecordFlags.all.map(\.code), flags)
    let ofPushes = ServiceRequest.Kind.allCases.flatMap { zip(PushFlags.all.map(\.code), requests[$0].flags) }
    return Dictionary((Array(ofRecords) + ofPushes).filter { $1 > 0 }, uniquingKeysWith: +)
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  @inline(__always)
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
