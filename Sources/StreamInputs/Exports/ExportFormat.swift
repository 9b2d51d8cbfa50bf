/// The forms in which other tools write the bytes of streams out, by the names that `--from` knows.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// `tshark -z follow,tcp,raw,N`: lines of hex digits.
  case followRaw = "follow-raw"
  /// `tshark -z follow,tcp,hex,N`: a hex dump of both directions.
  case followHex = "follow-hex"
  /// `tshark -z follow,tcp,yaml,N`: packets with their numbers, times and base64.
  case followYAML = "follow-yaml"
  /// Wireshark's C arrays of a followed stream.
  case cArrays = "c-arrays"
  /// The log of `socat -x`, or of `socat -v -x`.
  case socat
  /// The output of `ssldump -d`.
  case ssldump

  /// What it is, for messages.
  package var name: String {
    switch self {
    case .followRaw: "a stream that tshark followed, as raw hex lines"
    case .followHex: "a stream that tshark followed, as a hex dump"
    case .followYAML: "a stream that tshark followed, as YAML"
    case .cArrays: "a stream that Wireshark followed, as C arrays"
    case .socat: "a log of socat"
    case .ssldump: "the output of ssldump"
    }
  }

  var decoder: any ExportDecoder {
    switch self {
    case .followRaw: ExportLineReader(FollowText(frameless: .raw))
    case .followHex: ExportLineReader(FollowText(frameless: .hex))
    case .followYAML: ExportLineReader(FollowYAML())
    case .cArrays: ExportLineReader(CArrays())
    case .socat: ExportLineReader(SocatLog())
    case .ssldump: ExportLineReader(SSLDump())
    }
  }

  /// Whether tshark's code wrote it, which puts a mark where packets were lost.
  var hasGapMarks: Bool {
    switch self {
    case .followRaw, .followHex, .followYAML, .cArrays: true
    case .socat, .ssldump: false
    }
  }

  /// What is known of a connection that the export did not name: ssldump's C and S are client and server.
  var unnamedConnection: ExportConnection { ExportConnection(server: self == .ssldump ? .second : nil) }
}
