import APNsWire
import Analysis
import Basics
import Reports
import Testing

@Suite("Rows of requests and responses")
struct GatewayRowTests {
  private static let labels = StreamLabels(source: "a,b", stream: 3)
  private static let packet = PacketReference(
    number: 17, original: 21, time: CaptureTime(seconds: 1_367_400_600, fraction: 5, digits: 3))

  /// Three bytes of something else; command 2 with items 3, 1, 2, 4, 5; then command 0.
  private static let payload = Array("{\"a\":\"\\\"é,\n\"}".utf8)
  private static let bytes: [UInt8] = {
    let items: [UInt8] =
      [3, 0, 4, 0xff, 0xff, 0xff, 0xfe, 1, 0, 3, 0xab, 0xcd, 0xef] + [2, 0, UInt8(payload.count)] + payload
      + [4, 0, 4, 0x53, 0x72, 0x4e, 0x00, 5, 0, 1, 10]
    return [9, 9, 9, 2, 0, 0, 0, UInt8(items.count)] + items + [0, 0, 1, 0x0f, 0, 2, 0xc3, 0x28]
  }()

  private static let records = RequestRecords(
    labels: labels,
    records: [
      RequestRecord(
        fields: RequestFields(3..<bytes.count - 8, in: bytes.span.bytes), offset: 100, fileOffset: 220,
        packet: packet, flags: [.unexpectedTokenLength, .payloadNotJSON], outcome: .rejected, status: 8),
      RequestRecord(
        fields: RequestFields(bytes.count - 8..<bytes.count, in: bytes.span.bytes), offset: 150,
        fileOffset: 270, packet: nil, flags: .payloadNotJSON, outcome: .discarded, status: nil),
    ])

  private static let responses = [
    ResponseRecord(
      labels: labels, offset: 0, fileOffset: 300, packet: packet,
      response: ErrorResponse(status: 8, identifier: .max - 1),
      request: .init(offset: 100, token: [0xab, 0xcd, 0xef], flags: []),
      flags: [.identifierSwapped, .afterClose]),
    ResponseRecord(
      labels: labels, offset: 6, fileOffset: 306, packet: nil,
      response: ErrorResponse(status: 77, identifier: 0),
      request: nil, flags: [.uncorrelated, .unknownStatus]),
  ]

  private func write(to writer: RecordWriter) throws {
    let bytes = Self.bytes
    try writer.requests(Self.records, in: bytes.span.bytes)
    for response in Self.responses { try writer.response(response) }
  }

  @Test("requests in CSV")
  func requestsCSV() throws {
    #expect(
      try csv(.requests, nil, .lower, write) == """
        source,stream,direction,offset,length,packet,original_packet,file_offset,captured_at,command,identifier,expiry,\
        priority,token_length,token,payload_length,payload,payload_hex,items,outcome,outcome_status,flags
        "a,b",3,client,100,46,17,21,220,2013-05-01T09:30:00.005Z,2,4294967294,1400000000,10,3,abcdef,14,\
        "{""a"":""\\""é,
        ""}",,3;1;2;4;5,rejected,8,payload-not-json;unexpected-token-length
        "a,b",3,client,150,8,,,270,,0,,,,1,0f,2,,c328,,discarded,,payload-not-json

        """)
  }

  @Test("requests to send again, with selected columns")
  func resend() throws {
    #expect(
      try csv(.resend, ["token", "payload", "payload_hex", "token", "offset"], .upper, write)
        == "token,payload,payload_hex,token,offset\n0F,,c328,0F,150\n")
  }

  @Test("responses in CSV")
  func responsesCSV() throws {
    #expect(
      try csv(.responses, nil, .upper, write) == """
        source,stream,direction,offset,packet,original_packet,file_offset,captured_at,status,status_text,identifier,\
        request_offset,token,flags
        "a,b",3,server,0,17,21,300,2013-05-01T09:30:00.005Z,8,invalid token,4294967294,100,ABCDEF,\
        after-close;identifier-swapped
        "a,b",3,server,6,,,306,,77,,0,,,uncorrelated;unknown-status

        """)
  }

  private static let requestLine = #"""
    {"type":"request","source":"a,b","stream":3,"direction":"client","offset":100,"length":46,"packet":17,"original_packet":21,"file_offset":220,"captured_at":"2013-05-01T09:30:00.005Z","command":2,"identifier":4294967294,"expiry":1400000000,"priority":10,"token_length":3,"token":"abcdef","payload_length":14,"payload":"{\"a\":\"\\\"é,\n\"}","payload_hex":null,"items":[3,1,2,4,5],"outcome":"rejected","outcome_status":8,"flags":["payload-not-json","unexpected-token-length"]}
    """#
  private static let secondLine = #"""
    {"type":"request","source":"a,b","stream":3,"direction":"client","offset":150,"length":8,"packet":null,"original_packet":null,"file_offset":270,"captured_at":null,"command":0,"identifier":null,"expiry":null,"priority":null,"token_length":1,"token":"0f","payload_length":2,"payload":null,"payload_hex":"c328","items":null,"outcome":"discarded","outcome_status":null,"flags":["payload-not-json"]}
    """#
  private static let responseLine = #"""
    {"type":"response","source":"a,b","stream":3,"direction":"server","offset":0,"packet":17,"original_packet":21,"file_offset":300,"captured_at":"2013-05-01T09:30:00.005Z","status":8,"status_text":"invalid token","identifier":4294967294,"request_offset":100,"token":"abcdef","flags":["after-close","identifier-swapped"]}
    """#
  private static let strangeLine = #"""
    {"type":"response","source":"a,b","stream":3,"direction":"server","offset":6,"packet":null,"original_packet":null,"file_offset":306,"captured_at":null,"status":77,"status_text":null,"identifier":0,"request_offset":null,"token":null,"flags":["uncorrelated","unknown-status"]}
    """#

  static let kinds: [(kinds: Set<ExportedKind>, lines: [String])] = [
    (.all, [requestLine, secondLine, responseLine, strangeLine]), ([.requests], [requestLine, secondLine]),
    ([.resend], [secondLine]), ([.responses], [responseLine, strangeLine]), ([.feedback], []),
  ]

  @Test("NDJSON and JSON", arguments: 0..<kinds.count, DocumentFormat.allCases)
  func json(_ number: Int, _ format: DocumentFormat) throws {
    let (kinds, lines) = Self.kinds[number]
    let written = try document(format, kinds, .lower, write).split(separator: "\n").dropFirst().dropLast()
    let expected =
      format == .ndjson ? lines : lines.enumerated().map { $1 + ($0 < lines.count - 1 ? "," : "") }
    #expect(written.map(String.init) == expected)
  }
}
