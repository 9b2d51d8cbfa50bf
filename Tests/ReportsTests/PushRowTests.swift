import APNsWire
import Analysis
import Basics
import PacketCapture
import Reports
import Testing

@Suite("Rows of pushes")
struct PushRowTests {
  /// A push with all columns, one with none that may be empty, and their texts.
  private static let (pushes, bytes): (PushRecords, [UInt8]) = {
    var bytes: [UInt8] = [9]
    func add(_ text: [UInt8]) -> Range<Int> {
      let start = bytes.count
      bytes += text
      return start..<bytes.count
    }
    var fields = PushFields()
    fields[.token] = add([0xab, 0xcd])
    for (field, text) in [
      (PushFields.Text.topic, "com.example,app"), (.pushType, "alert"), (.apnsID, "id-1"),
      (.uniqueID, "id-2"),
      (.collapseID, "\"c\""), (.reason, "Unregistered"), (.payload, "{}"),
    ] { fields[field] = add(Array(text.utf8)) }
    (fields.http2Stream, fields.priority, fields.expiration, fields.payloadLength) = (5, 10, 0, 2)
    (fields.status, fields.timestamp) = (410, 1_454_948_015_990)
    fields.flags = [.unexpectedTokenLength, .statusInferred]
    let packet = PacketReference(
      number: 17, original: 21, time: CaptureTime(seconds: 1_367_400_600, fraction: 5, digits: 3))
    var full = PushRecord(fields, direction: .server, offset: 100, fileOffset: 220, packet: packet)
    (full.requestOffset, full.requestPacket) = (24, 16)
    var log = PushFields()
    log[.tokenText] = add(Array("xyz".utf8))
    (log.line, log.loggedAt) = (3, 1_700_000_000_007)
    log.flags = [.tokenNotHex, .refused]
    let bare = PushRecord(log, direction: .client, offset: 7, fileOffset: 8, packet: nil)
    let labels = StreamLabels(source: "a,b", stream: 3)
    return (PushRecords(labels: labels, records: [full, bare]), bytes)
  }()

  private func write(to writer: RecordWriter) throws {
    let bytes = Self.bytes
    try writer.pushes(Self.pushes, in: bytes.span.bytes)
  }

  @Test("in CSV, with all columns")
  func allColumns() throws {
    #expect(
      try csv(.pushes, ExportedKind.pushes.names(hasLocalTimes: false), .lower, write) == ##"""
        source,stream,direction,offset,packet,original_packet,file_offset,captured_at,logged_at,line,http2_stream,\##
        request_offset,\##
        request_packet,token_length,token,token_text,topic,push_type,apns_id,apns_unique_id,priority,expiration,\##
        collapse_id,payload_length,payload,status,reason,timestamp_ms,timestamp,time,outcome,flags
        "a,b",3,server,100,17,21,220,2013-05-01T09:30:00.005Z,,,5,24,16,2,abcd,,"com.example,app",alert,id-1,id-2,10,0,\##
        """c""",2,{},410,Unregistered,1454948015990,1454948015,2016-02-08T16:13:35.990Z,invalidated,\##
        status-inferred;unexpected-token-length
        "a,b",3,client,7,,,8,,2023-11-14T22:13:20.007Z,3,,,,,,xyz,,,,,,,,,,,,,,,unknown,token-not-hex

        """##)
  }

  @Test("to send again, with selected columns")
  func resend() throws {
    #expect(
      try csv(.resendPushes, ["offset", "token_text", "offset"], .upper, write)
        == "offset,token_text,offset\n7,xyz,7\n")
  }

  @Test("in NDJSON")
  func json() throws {
    let text = try report { output in
      try write(to: RecordWriter(.ndjson, .document([.pushes]), letterCase: .upper, output: output))
    }
    #expect(
      text == """
        {"type":"push","source":"a,b","stream":3,"direction":"server","offset":100,"packet":17,"original_packet":21,\
        "file_offset":220,"captured_at":"2013-05-01T09:30:00.005Z","logged_at":null,"line":null,"http2_stream":5,"request_offset":24,\
        "request_packet":16,"token_length":2,"token":"ABCD","token_text":null,"topic":"com.example,app",\
        "push_type":"alert","apns_id":"id-1","apns_unique_id":"id-2","priority":10,"expiration":0,\
        "collapse_id":"\\"c\\"","payload_length":2,"payload":"{}","status":410,"reason":"Unregistered",\
        "timestamp_ms":1454948015990,"timestamp":1454948015,"time":"2016-02-08T16:13:35.990Z",\
        "outcome":"invalidated","flags":["status-inferred","unexpected-token-length"]}
        {"type":"push","source":"a,b","stream":3,"direction":"client","offset":7,"packet":null,"original_packet":null,\
        "file_offset":8,"captured_at":null,"logged_at":"2023-11-14T22:13:20.007Z","line":3,"http2_stream":null,"request_offset":null,"request_packet":null,\
        "token_length":null,"token":null,"token_text":"xyz","topic":null,"push_type":null,"apns_id":null,\
        "apns_unique_id":null,"priority":null,"expiration":null,"collapse_id":null,"payload_length":null,\
        "payload":null,"status":null,"reason":null,"timestamp_ms":null,"timestamp":null,"time":null,\
        "outcome":"unknown","flags":["token-not-hex"]}

        """)
  }
}
