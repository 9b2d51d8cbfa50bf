import ProviderLogs
import Testing

/// Answers over several lines. The lines are those of curl 7.88, nghttp 1.52 and OpenJDK 17, shortened.
@Suite("docs/spec/provider-logs.md#transcripts: transcripts")
struct TranscriptTests {
  static let curl = """
    * using HTTP/2
    * h2h3 [:path: /3/device/aa]
    > POST /3/device/aa HTTP/2
    > Host: 127.0.0.1
    > apns-topic: com.example
    > apns-priority: 5
    > apns-expiration: 1800000001
    >\u{20}
    { [5 bytes data]
    < HTTP/2 503\u{20}
    < apns-id: A1
    <\u{20}
    { [31 bytes data]
    {"reason":"ServiceUnavailable"}* Connection #0 left intact
    > POST /3/device/bb HTTP/2
    >\u{20}
    < HTTP/2 200\u{20}
    < apns-id: B1
    < apns-unique-id: U1
    <\u{20}
    > POST /3/device/cc HTTP/2
    >\u{20}
    < HTTP/2 410\u{20}
    < apns-id: C1
    <\u{20}
    * Connection #0 left intact
    {"reason":"Unregistered","timestamp":1700000000123}

    """

  static let nghttp = """
    [  0.067] send HEADERS frame <length=186, flags=0x24, stream_id=13>
              ; END_HEADERS | PRIORITY
              :method: POST
              :path: /3/device/aa
              apns-topic: com.example
    [  0.067] send HEADERS frame <length=98, flags=0x24, stream_id=15>
              :path: /3/device/bb
    [  0.067] send HEADERS frame <length=98, flags=0x24, stream_id=17>
              :path: /3/device/cc
    [  0.074] recv SETTINGS frame <length=0, flags=0x01, stream_id=0>
    [  0.075] recv (stream_id=15) :status: 410
    [  0.075] recv (stream_id=15) apns-id: B1
    [  0.075] recv HEADERS frame <length=37, flags=0x04, stream_id=15>
              ; END_HEADERS
    [  0.075] recv (stream_id=13) :status: 200
    [  0.075] recv (stream_id=13) apns-id: A1
    [  0.075] recv HEADERS frame <length=31, flags=0x05, stream_id=13>
    {"reason":"Unregistered","timestamp":1700000000123}[  0.076] recv DATA frame <length=51, flags=0x01, stream_id=15>
              ; END_STREAM
    [  0.077] recv (stream_id=17) :status: 400
    {"reason":"BadTopic"}[  0.077] recv DATA frame <length=99, flags=0x01, stream_id=17>

    """

  static let java = """
    Nov 24, 2026 3:12:35 AM jdk.internal.net.http.Stream sendHeadersAsync
    INFO: REQUEST: https://h:1/3/device/aa POST
    INFO: HEADERS: HEADERS FRAME (stream=1)
        :path: /3/device/aa
        apns-topic: com.example

    INFO: HEADERS: HEADERS FRAME (stream=3)
        :path: /3/device/bb

    INFO: HEADERS: RESPONSE HEADERS:
        :status: 410
        apns-id: A1

    INFO: RESPONSE: (POST https://h:1/3/device/aa) 410 HTTP_2 Local port:  1
    INFO: HEADERS: RESPONSE HEADERS:
        :status: 400
        apns-id: B1

    INFO: HEADERS: RESPONSE HEADERS:
        :status: 400
        apns-id: C1

    INFO: RESPONSE: (POST https://h:1/3/device/bb) 400 HTTP_2 Local port:  1

    """

  @Test("curl, one transfer after the other")
  func curlInTurn() throws {
    #expect(
      try DecodedLog(Self.curl).pushes == [
        "push 10 token=aa topic=com.example id=A1 priority=5 expiration=1800000001 status=503 reason=ServiceUnavailable",
        "push 17 token=bb id=B1 unique=U1 status=200",
        "push 23 token=cc id=C1 status=410 reason=Unregistered time=1700000000123",
      ])
  }

  @Test("curl, several transfers: only an id that the client chose joins an answer to its request")
  func curlInParallel() throws {
    let log = """
      > POST /3/device/aa HTTP/2
      > apns-id: A1
      >\u{20}
      > POST /3/device/bb HTTP/2
      >\u{20}
      > POST /3/device/cc HTTP/2
      >\u{20}
      < HTTP/2 410\u{20}
      < apns-id: X1
      <\u{20}
      {"reason":"Unregistered","timestamp":1700000000123}< HTTP/2 410\u{20}
      < apns-id: A1
      <\u{20}
      < HTTP/2 410\u{20}
      < apns-id: X2
      <\u{20}
      {"reason":"Unregistered","timestamp":1700000000999}

      """
    #expect(
      try DecodedLog(log).pushes == [
        "push 8 id=X1 status=410 reason=Unregistered time=1700000000123 uncorrelated",
        // The body after it may be of either.
        "push 11 token=aa id=A1 status=410", "push 14 id=X2 status=410 uncorrelated",
      ])
  }

  @Test("nghttp, by the number of the stream")
  func nghttpStreams() throws {
    #expect(
      try DecodedLog(Self.nghttp).pushes == [
        "push 15 token=aa topic=com.example id=A1 status=200",
        "push 11 token=bb id=B1 status=410 reason=Unregistered time=1700000000123",
        // Its body is cut.
        "push 20 token=cc status=400",
      ])
  }

  @Test("nghttp: a request without an answer, and one that was reset")
  func nghttpUnanswered() throws {
    let log = """
      [  0.067] send HEADERS frame <length=98, flags=0x24, stream_id=1>
                :path: /3/device/aa
      [  0.067] send HEADERS frame <length=98, flags=0x24, stream_id=3>
                :path: /3/device/bb
      [  0.068] recv RST_STREAM frame <length=4, flags=0x00, stream_id=3>

      """
    #expect(try DecodedLog(log).pushes == ["push 3 token=bb no-response", "push 1 token=aa no-response"])
  }

  @Test("Java, by the path")
  func javaPaths() throws {
    #expect(
      try DecodedLog(Self.java).pushes == [
        "push 14 token=aa topic=com.example id=A1 status=410",
        // Two blocks of headers were written before the answer: which one is its own is not certain.
        "push 23 token=bb status=400",
      ])
  }

  @Test("bodies without end in a line do not nest")
  func manyBodies() throws {
    let line = "< HTTP/2 410\n" + String(repeating: "{\"}", count: 300_000) + "\n"
    let request = "> POST /3/device/aa HTTP/2\n>\u{20}\n"
    #expect(try !DecodedLog(request + line).steps.isEmpty)
  }
}
