import APNsWire
import Analysis
import PacketCapture
import Platform
import StreamInputs

/// What a column of CSV, or a member of a JSON record, has. docs/reference/columns.md and the JSON Schemas are made from it.
package struct ColumnEntry: Sendable {
  package enum ValueType: Sendable {
    /// A definition of docs/schemas/apnsift-1.ndjson.schema.json, such as `offset`.
    case named(String)
    case integer(ClosedRange<Int>)
    case text
    /// One of these words.
    case words([String])
    /// A list, in CSV separated by semicolons, in JSON an array.
    case flags
    case itemIDs
    case hex
  }

  package var type: ValueType
  /// Whether it may be empty in CSV and null in JSON.
  package var isOptional = false
  /// With units and base.
  package var meaning: String

  init(_ type: ValueType, optional: Bool = false, _ meaning: String) {
    (self.type, isOptional, self.meaning) = (type, optional, meaning)
  }
}

/// The columns of one kind of record.
package protocol RecordColumn: LocalTimeColumn {
  /// As `--records` names the kind, and as the member `type` of JSON does.
  static var kind: (records: String, type: String) { get }
  var entry: ColumnEntry { get }
}

extension ColumnEntry {
  private static let anyByte = 0...65535

  fileprivate static let source = ColumnEntry(
    .named("source"), "the input, as it was named; - is standard input")
  fileprivate static let stream = ColumnEntry(
    .named("stream"), "number of the stream in its input, from 0; a dump is stream 0")
  fileprivate static let direction = ColumnEntry(.named("direction"), "who sent the bytes")
  fileprivate static let client = ColumnEntry(
    .named("peer"), optional: true, "address and port of the client")
  fileprivate static let server = ColumnEntry(
    .named("peer"), optional: true, "address and port of the server")
  fileprivate static let offset = ColumnEntry(
    .named("offset"),
    "offset of the record's first byte in its direction of the stream: bytes from 0, gaps included")
  fileprivate static let packet = ColumnEntry(
    .named("packet"), optional: true, "number of the packet with that byte, from 1, in its capture file")
  fileprivate static let originalPacket = ColumnEntry(
    .named("packet"), optional: true,
    "number of that packet in the capture from which an export was made, from 1, where the export names it")
  fileprivate static let fileOffset = ColumnEntry(
    .named("offset"), optional: true,
    "offset of that byte, or of the first character that encodes it, in the decompressed input file: bytes from 0"
  )
  fileprivate static let capturedAt = ColumnEntry(
    .named("captureTime"), optional: true, "when that packet was captured, in UTC")
  fileprivate static let capturedAtLocal = ColumnEntry(
    .named("localTime"), optional: true, "when that packet was captured, local time; only with --time-zone")
  fileprivate static let flags = ColumnEntry(
    .flags, "what is doubtful about the record (findings.md, Flags), sorted")
  fileprivate static let tokenLength = ColumnEntry(.integer(anyByte), "length of the token in bytes")
  fileprivate static let token = ColumnEntry(.named("token"), "the token in hex")

  fileprivate static let streamOffset = ColumnEntry(
    .named("offset"), optional: true,
    "the same as offset, by a name that needs no quotes in SQL; only if it is named")

  /// How Arrow has it.
  var arrowType: ArrowType {
    switch type {
    case .integer: .int64
    case .text, .words: .utf8
    case .flags: .utf8List
    case .itemIDs: .int64List
    case .hex: .binary
    case .named(let name):
      switch name {
      case "count", "identifier", "offset", "packet", "seconds", "status", "stream": .int64
      case "captureTime", "time": .timestamp
      case "token": .binary
      default: .utf8
      }
    }
  }

  fileprivate func optional(_ meaning: String? = nil) -> ColumnEntry {
    ColumnEntry(type, optional: true, meaning ?? self.meaning)
  }
}

extension FeedbackColumn: RecordColumn {
  package static let kind = (records: "feedback", type: "feedback")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream
    case .direction: .direction
    case .client: .client
    case .server: .server
    case .offset: .offset
    case .streamOffset: .streamOffset
    case .packet: .packet
    case .originalPacket: .originalPacket
    case .fileOffset: .fileOffset
    case .capturedAt: .capturedAt
    case .capturedAtLocal: .capturedAtLocal
    case .timestamp:
      ColumnEntry(.named("seconds"), "time of the tuple, in seconds since 1970-01-01T00:00:00Z")
    case .time: ColumnEntry(.named("time"), "the same in RFC 3339, UTC")
    case .timeLocal:
      ColumnEntry(.named("localTime"), "the same, local time with its offset; only with --time-zone")
    case .tokenLength: .tokenLength
    case .token: .token
    case .flags: .flags
    case .form:
      ColumnEntry(
        .words(Carving.Form.allCases.map(\.rawValue)), optional: true,
        "encoding in which a carved record was found; none of other records, like the columns below")
    case .chain:
      ColumnEntry(
        .integer(0...Int(UInt32.max)), optional: true,
        "number of the record's chain in its input, from 0; none in logs and packets")
    case .chainLength:
      ColumnEntry(
        .integer(1...Carving.maxCountedLength), optional: true,
        "tuples in that chain; \(Carving.maxCountedLength) if there are more")
    case .confidence:
      ColumnEntry(
        .words(Confidence.allCases.map(\.rawValue)), optional: true,
        "how likely a carved record is one (carving.md)")
    }
  }
}

extension RequestColumn: RecordColumn {
  package static let kind = (records: "requests", type: "request")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream
    case .direction: ColumnEntry(.words(["client"]), "always client")
    case .offset: .offset
    case .streamOffset: .streamOffset
    case .length: ColumnEntry(.integer(5...65540), "length of the whole request in bytes")
    case .packet: .packet
    case .originalPacket: .originalPacket
    case .fileOffset: .fileOffset
    case .capturedAt: .capturedAt
    case .capturedAtLocal: .capturedAtLocal
    case .command: ColumnEntry(.integer(0...2), "command of the request")
    case .identifier:
      ColumnEntry(
        .named("identifier"), optional: true,
        "identifier that the client chose; none with command 0, or if the item is missing or of the wrong size"
      )
    case .expiry:
      ColumnEntry(
        .named("seconds"), optional: true,
        "until when the notification may be delivered, in seconds since 1970; 0 means one attempt")
    case .priority:
      ColumnEntry(.integer(0...255), optional: true, "priority (item 5); none with commands 0 and 1")
    case .tokenLength: .tokenLength.optional()
    case .token: .token.optional("the token in hex; none if a command 2 request lacks it")
    case .payloadLength: ColumnEntry(.integer(0...65535), optional: true, "length of the payload in bytes")
    case .payload: ColumnEntry(.text, optional: true, "the payload; none if it is not UTF-8")
    case .payloadHex: ColumnEntry(.hex, optional: true, "the payload in hex, only if it is not UTF-8")
    case .items:
      ColumnEntry(.itemIDs, optional: true, "ids of the items of a command 2 request, in wire order")
    case .outcome:
      ColumnEntry(
        .words(["accepted", "rejected", "discarded", "unknown"]),
        "accepted (before the request that an error names), rejected (named), discarded (after it), or unknown"
      )
    case .outcomeStatus:
      ColumnEntry(.named("status"), optional: true, "status of the response that rejects the request")
    case .flags: .flags
    }
  }
}

extension ResponseColumn: RecordColumn {
  package static let kind = (records: "responses", type: "response")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream
    case .direction: ColumnEntry(.words(["server"]), "always server")
    case .offset: .offset
    case .streamOffset: .streamOffset
    case .packet: .packet
    case .originalPacket: .originalPacket
    case .fileOffset: .fileOffset
    case .capturedAt: .capturedAt
    case .capturedAtLocal: .capturedAtLocal
    case .status: ColumnEntry(.named("status"), "status of the error response")
    case .statusText:
      ColumnEntry(.text, optional: true, "Apple's text for the status; none for an unknown one")
    case .identifier: ColumnEntry(.named("identifier"), "identifier of the request that it names")
    case .requestOffset:
      ColumnEntry(
        .named("offset"), optional: true, "offset of that request in the client's direction, if one is found")
    case .token: .token.optional("the token of that request in hex, if one is found and has a token")
    case .flags: .flags
    }
  }
}

extension PushColumn: RecordColumn {
  package static let kind = (records: "pushes", type: "push")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream
    case .direction:
      ColumnEntry(
        .named("direction"), "server if any of the response is known, else client; in a log, server")
    case .streamOffset: .streamOffset
    case .offset:
      ColumnEntry(
        .named("offset"),
        "offset in that direction of the response's first byte, else of the request's; in a log, of the line: bytes from 0, gaps included"
      )
    case .packet: .packet
    case .originalPacket: .originalPacket
    case .fileOffset: .fileOffset
    case .capturedAt: .capturedAt
    case .capturedAtLocal: .capturedAtLocal
    case .line:
      ColumnEntry(.integer(1...Int(UInt32.max)), optional: true, "line of the log, from 1; none in a capture")
    case .http2Stream:
      ColumnEntry(
        .integer(1...Int(Int32.max)), optional: true,
        "id of the stream in the HTTP/2 connection; none in a log")
    case .requestOffset:
      ColumnEntry(
        .named("offset"), optional: true, "offset of the request in the client's direction")
    case .requestPacket:
      ColumnEntry(
        .named("packet"), optional: true, "number of the packet with the request's first byte, from 1")
    case .tokenLength: .tokenLength.optional("length of the token in bytes; none if it is not hex")
    case .token: .token.optional("the token in hex; none if it is not known, or not hex")
    case .tokenText:
      ColumnEntry(.text, optional: true, "the token as written in the path or log; only if it is not hex")
    case .topic: ColumnEntry(.text, optional: true, "header apns-topic: usually the app's bundle id")
    case .pushType: ColumnEntry(.text, optional: true, "header apns-push-type, such as alert or background")
    case .apnsID: ColumnEntry(.text, optional: true, "header apns-id of the response, else of the request")
    case .uniqueID: ColumnEntry(.text, optional: true, "header apns-unique-id of the response; sandbox only")
    case .priority: ColumnEntry(.integer(0...255), optional: true, "header apns-priority")
    case .expiration:
      ColumnEntry(
        .integer(0...Int(Int64.max)), optional: true,
        "header apns-expiration: until when it may be delivered, in seconds since 1970; 0 means one attempt")
    case .collapseID: ColumnEntry(.text, optional: true, "header apns-collapse-id")
    case .payloadLength:
      ColumnEntry(
        .named("count"), optional: true, "length of the payload in bytes; none if part of it is missing")
    case .payload:
      ColumnEntry(.text, optional: true, "the payload; only with --payloads, and only UTF-8 to 65536 bytes")
    case .status: ColumnEntry(.integer(100...999), optional: true, "HTTP status of the response")
    case .reason:
      ColumnEntry(.text, optional: true, "Apple's reason for an error or a GOAWAY, such as Unregistered")
    case .timestampMS:
      ColumnEntry(
        .integer(0...253_402_300_799_999), optional: true,
        "with status 410: when the token became invalid, in milliseconds since 1970-01-01T00:00:00Z")
    case .timestamp:
      ColumnEntry(
        .integer(0...253_402_300_799), optional: true, "the same in whole seconds, rounded down")
    case .time:
      ColumnEntry(.named("captureTime"), optional: true, "the same in RFC 3339, UTC, with milliseconds")
    case .timeLocal:
      ColumnEntry(
        .named("localTime"), optional: true, "the same, local time with its offset; only with --time-zone")
    case .outcome:
      ColumnEntry(
        .words(PushOutcome.allCases.map(\.rawValue)),
        "accepted (status 200), invalidated (410), rejected (any other status), or unknown")
    case .flags: .flags
    }
  }
}

extension StreamColumn: RecordColumn {
  package static let kind = (records: "streams", type: "stream")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream
    case .streamProtocol:
      ColumnEntry(.words(StreamProtocol.allCases.map(\.rawValue)), "what the stream carries")
    case .client: .client
    case .server: .server
    case .firstPacket: ColumnEntry(.named("packet"), optional: true, "number of its first packet, from 1")
    case .lastPacket: ColumnEntry(.named("packet"), optional: true, "number of its last packet, from 1")
    case .startedAt:
      ColumnEntry(.named("captureTime"), optional: true, "when its first packet was captured, in UTC")
    case .startedAtLocal:
      ColumnEntry(
        .named("localTime"), optional: true,
        "when its first packet was captured, local time; only with --time-zone")
    case .endedAt:
      ColumnEntry(.named("captureTime"), optional: true, "when its last packet was captured, in UTC")
    case .endedAtLocal:
      ColumnEntry(
        .named("localTime"), optional: true,
        "when its last packet was captured, local time; only with --time-zone")
    case .clientBytes: ColumnEntry(.named("count"), "bytes that the client sent, without gaps")
    case .serverBytes: ColumnEntry(.named("count"), "bytes that the server sent, without gaps")
    case .clientGapBytes: ColumnEntry(.named("count"), "missing bytes of the client")
    case .serverGapBytes: ColumnEntry(.named("count"), "missing bytes of the server")
    case .records: ColumnEntry(.named("count"), "records in both directions")
    case .findings: ColumnEntry(.named("count"), "findings about the stream")
    case .tlsVersion:
      ColumnEntry(.text, optional: true, "version of TLS; none unless keys were tried on the stream")
    case .tlsCipher: ColumnEntry(.text, optional: true, "IANA's name of the cipher suite")
    case .tlsServerName:
      ColumnEntry(.text, optional: true, "name of the server that the client asked for (SNI)")
    case .tlsProtocol: ColumnEntry(.text, optional: true, "protocol that both agreed on (ALPN)")
    case .tlsServerSubject: ColumnEntry(.text, optional: true, "subject of the server's certificate")
    case .tlsClientSubject: ColumnEntry(.text, optional: true, "subject of the client's certificate")
    case .tlsClientUserID:
      ColumnEntry(.text, optional: true, "its attribute UID: with Apple's certificates, the app's bundle id")
    case .tlsKeyFile:
      ColumnEntry(
        .text, optional: true,
        "file with the secret that decrypted the stream: of --keys, --rsa-key or --psk, or the capture itself"
      )
    case .tlsKeyLine:
      ColumnEntry(
        .integer(1...Int(UInt32.max)), optional: true,
        "line of that secret, from 1, the first if several served; none of a private key"
      )
    }
  }
}

extension FindingColumn: RecordColumn {
  package static let kind = (records: "findings", type: "finding")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .stream: .stream.optional("number of the stream, from 0; none for a finding about the input")
    case .direction: .direction.optional()
    case .streamOffset: .streamOffset
    case .offset:
      .offset.optional("offset of the first byte in its direction of the stream: bytes from 0, gaps included")
    case .length:
      ColumnEntry(
        .named("count"), optional: true,
        "bytes of the stream from offset on; without an offset, bytes of the file from file_offset on")
    case .packet: .packet.optional("number of the packet, from 1, in its capture file")
    case .fileOffset: .fileOffset
    case .code: ColumnEntry(.named("code"), "what is wrong (findings.md)")
    case .severity: ColumnEntry(.named("severity"), "how much it matters")
    case .message: ColumnEntry(.text, "one line for people; its wording may change")
    }
  }
}

extension InputColumn: RecordColumn {
  package static let kind = (records: "inputs", type: "input")

  package var entry: ColumnEntry {
    switch self {
    case .source: .source
    case .fileKind:
      ColumnEntry(
        .words(FileStatus.Kind.allCases.map(\.rawValue)), optional: true,
        "kind of file; none if it does not exist")
    case .linkTarget: ColumnEntry(.text, optional: true, "where a link leads, as it is written")
    case .size:
      ColumnEntry(
        .named("count"), optional: true,
        "bytes on disk, of a link to a file those of the file; what was read, if it was")
    case .modifiedAt:
      ColumnEntry(.named("captureTime"), optional: true, "when the file was last modified, in UTC")
    case .sha256:
      ColumnEntry(
        .named("sha256"), optional: true, "SHA-256 of these bytes; none if not all of them could be read")
    case .md5:
      ColumnEntry(.named("md5"), optional: true, "MD5 of the same bytes, with --md5 only")
    case .verdict:
      ColumnEntry(.words(InputRecord.Verdict.allCases.map(\.rawValue)), "what became of the file")
    case .format:
      ColumnEntry(
        .words(InputFormat.all.map(\.name) + ArchiveFormat.allCases.map(\.rawValue)), optional: true,
        "the format in which it was read, as a value of --from; or that of an archive")
    case .compression:
      ColumnEntry(
        .words(Compression.allCases.map(\.rawValue) + [InputReport.imageName]), optional: true,
        "compression of the file; ewf is an E01 image")
    case .content:
      ColumnEntry(.text, optional: true, "what a file is that was not read, if that is known")
    case .reason:
      ColumnEntry(
        .text, optional: true, "why it was not read, or not in full, for people; its wording may change")
    case .records:
      ColumnEntry(
        .named("count"), optional: true,
        "records in the file; none with --join and --requests, where several files have them together")
    case .findings: ColumnEntry(.named("count"), "findings while it was read")
    case .sameAs:
      ColumnEntry(.text, optional: true, "an earlier input that was read and has the same bytes")
    case .archiveOffset:
      ColumnEntry(
        .named("offset"), optional: true,
        "offset of a member in its decompressed archive, where libarchive knows it: bytes from 0")
    }
  }
}
