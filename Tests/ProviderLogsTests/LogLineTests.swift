import Basics
import ProviderLogs
import Testing

/// Lines in the form that each client or provider writes, with short tokens.
@Suite("docs/spec/provider-logs.md: lines")
struct LogLineTests {
  static let objects: [LogCase] = [
    LogCase(
      "own names",
      #"{"token":"abab","status":410,"reason":"Unregistered","timestamp":1700000000123,"apns_id":"A-1","topic":"com.example"}"#,
      "push 1 token=abab topic=com.example id=A-1 status=410 reason=Unregistered time=1700000000123"),
    LogCase(
      "names with other letters",
      #"{"Device-Token":"AB01","statusCode":"200","apns-id":"x","apns-push-type":"alert","apnsPriority":"5"}"#,
      "push 1 token=ab01 type=alert id=x priority=5 status=200"),
    LogCase(
      "node-apn: a rejected device",
      #"{"device":"abab","status":"410","response":{"reason":"Unregistered","timestamp":1700000000123}}"#,
      "push 1 token=abab status=410 reason=Unregistered time=1700000000123"),
    LogCase(
      "node-apn: a device without an answer", #"{"device":"abab","error":{"jse_shortmsg":"x"}}"#,
      "push 1 token=abab no-response"),
    LogCase(
      "node-apn: a result of several devices",
      #"{"sent":[{"device":"aa"},{"device":"bb"}],"failed":[{"device":"cc","status":"400","response":{"reason":"BadDeviceToken"}},{"device":"dd","error":{}}]}"#,
      "push 1 token=aa status=200 status-inferred", "push 1 token=bb status=200 status-inferred",
      "push 1 token=cc status=400 reason=BadDeviceToken", "push 1 token=dd no-response"),
    LogCase(
      "node-apn: tokens as texts", #"{"sent":["aa","bb"],"failed":[]}"#,
      "push 1 token=aa status=200 status-inferred", "push 1 token=bb status=200 status-inferred"),
    LogCase(
      "apns2 of Go: an answer with Go's time, which may be the log time",
      #"{"token":"abab","StatusCode":410,"Reason":"Unregistered","ApnsID":"i","Timestamp":"2023-11-14T22:13:20Z"}"#,
      "push 1 token=abab id=i status=410 reason=Unregistered"),
    LogCase(
      "apns2 of Go: no time",
      #"{"token":"abab","StatusCode":200,"Reason":"","ApnsID":"i","Timestamp":"0001-01-01T00:00:00Z"}"#,
      "push 1 token=abab id=i status=200"),
    LogCase(
      "gorush: accepted",
      #"{"type":"succeeded-push","platform":"ios","token":"abab","message":"hi","error":""}"#,
      "push 1 token=abab status=200 status-inferred"),
    LogCase(
      "gorush: rejected",
      #"{"type":"failed-push","platform":"ios","token":"abab","message":"hi","error":"Unregistered"}"#,
      "push 1 token=abab status=410 reason=Unregistered status-inferred"),
    LogCase(
      "aioapns: a result without a token",
      #"{"notification_id":"i","status":"410","description":"Unregistered","timestamp":1700000000123}"#,
      "push 1 id=i status=410 reason=Unregistered time=1700000000123 uncorrelated"),
    LogCase(
      "dotAPNS: the reason as a number and as a text",
      #"{"token":"abab","Reason":12,"ReasonString":"Unregistered","IsSuccessful":false}"#,
      "push 1 token=abab status=410 reason=Unregistered status-inferred"),
    LogCase(
      "dotAPNS: accepted", #"{"token":"abab","Reason":0,"ReasonString":null,"IsSuccessful":true}"#,
      "push 1 token=abab status=200 status-inferred"),
    LogCase(
      "a row of apnsift's own export",
      #"{"type":"push","stream":0,"token":null,"token_text":"x-1","status":410,"reason":"ExpiredToken","timestamp_ms":1700000000123,"timestamp":1700000000,"time":"2023-11-14T22:13:20.123Z","flags":["token-not-hex"]}"#,
      "push 1 text=x-1 status=410 reason=ExpiredToken time=1700000000123 token-not-hex"),
    LogCase(
      "an object after other words", #"2026-11-24 INFO push: {"token":"abab","status":429}"#,
      "push 1 token=abab status=429"),
    LogCase(
      "escapes", #"{"token":"\u0061b","topic":"a\"\\\/\t\u00e9\ud83d\ude00\ud83d.","status":200}"#,
      "push 1 token=ab topic=a\"\\/\té😀\u{fffd}. status=200"),
    LogCase(
      "a path", #"{"method":"POST","path":"/3/device/abab?x","status":400}"#, "push 1 token=abab status=400"),
    LogCase(
      "a URL with escaped slashes", #"{"url":"https:\/\/api.push.apple.com\/3\/device\/abab","status":400}"#,
      "push 1 token=abab status=400"),
    LogCase("another path", #"{"path":"/health","status":200}"#, "unrelated 1+1"),
    LogCase(
      "white space", "  { \"token\" : \"abab\" ,\t\"status\" : 200 }  ", "push 1 token=abab status=200"),
    LogCase(
      "a request without an answer", #"{"msg":"sending","token":"abab"}"#, "unrelated 1+1"),
    LogCase("no push", #"{"level":"info","msg":"started"}"#, "unrelated 1+1"),
    LogCase("other JSON", "[]\n{}\nnull\n17\n\"x\"", "unrelated 1+5"),
    LogCase(
      "a list", #"[{"token":"aa","status":200},{"token":"bb","status":500}]"#,
      "push 1 token=aa status=200", "push 1 token=bb status=500"),
  ]

  static let statuses: [LogCase] = [
    LogCase(
      "a word, with a reason", #"{"token":"ab","status":"failed","reason":"BadTopic"}"#,
      "push 1 token=ab status=400 reason=BadTopic status-inferred"),
    LogCase(
      "a word, and a number by another name", #"{"token":"ab","status":"failed","http_status":503}"#,
      "push 1 token=ab status=503"),
    LogCase("a word alone", #"{"token":"ab","status":"failed"}"#, "bad 1+1 statusIsNoStatus"),
    LogCase("beyond HTTP's", #"{"token":"ab","status":600}"#, "bad 1+1 statusIsNoStatus"),
    LogCase(
      "a gateway's, with a reason", #"{"token":"ab","status":8,"reason":"BadDeviceToken"}"#,
      "bad 1+1 statusIsNoStatus"),
    LogCase(
      "a gateway's in a text", #"{"token":"ab","status":"8","reason":"BadDeviceToken"}"#,
      "bad 1+1 statusIsNoStatus"),
    LogCase(
      "no whole number, with a reason", #"{"token":"ab","status":410.5,"reason":"Unregistered"}"#,
      "bad 1+1 statusIsNoStatus"),
    LogCase("negative", #"{"token":"ab","status":-410}"#, "bad 1+1 statusIsNoStatus"),
    LogCase("0 is no answer", #"{"token":"ab","status":0}"#, "push 1 token=ab no-response"),
    LogCase("null is no answer", #"{"token":"ab","status":null}"#, "push 1 token=ab no-response"),
    LogCase(
      "an unknown reason", #"{"token":"ab","reason":"Later"}"#, "push 1 token=ab reason=Later no-response"),
    LogCase(
      "an error of the client", #"{"token":"ab","error":"socket hang up"}"#, "push 1 token=ab no-response"),
    LogCase("a reason that is a number", #"{"token":"ab","reason":4}"#, "bad 1+1 reasonIsNoText"),
    LogCase("two statuses", #"{"token":"ab","status":200,"status":410}"#, "bad 1+1 twoValues"),
    LogCase(
      "two statuses, after two tokens that a better one replaces",
      #"{"device":"aa","device":"bb","code":400,"code":410,"token":"ab"}"#, "bad 1+1 twoValues"),
    LogCase(
      "an offset from UTC with an escape, as .NET writes it",
      #"{"token":"ab","status":410,"invalidated_at":"2023-11-14T22:13:20\u002B00:00"}"#,
      "push 1 token=ab status=410 time=1700000000000"),
    LogCase(
      "an array with an object in each line",
      "[\n{\"token\":\"ab\",\"status\":200},\n{\"token\":\"cd\",\"status\":200}\n]\n", "unrelated 1+1",
      "push 2 token=ab status=200", "push 3 token=cd status=200", "unrelated 4+1"),
    LogCase(
      "the same status twice", #"{"token":"ab","status":410,"status":410}"#, "push 1 token=ab status=410"),
    LogCase(
      "the outer status counts", #"{"r":{"status":500},"token":"ab","status":200}"#,
      "push 1 token=ab status=200"),
  ]

  static let tokens: [LogCase] = [
    LogCase("a number", #"{"token":17,"status":200}"#, "bad 1+1 tokenIsNoText"),
    LogCase("odd digits", #"{"token":"abc","status":200}"#, "push 1 text=abc status=200 token-not-hex"),
    LogCase("no hex", #"{"token":"xy","status":200}"#, "push 1 text=xy status=200 token-not-hex"),
    LogCase(
      "no hex in the ninth digit", #"{"token":"0123456789abcdeg","status":200}"#,
      "push 1 text=0123456789abcdeg status=200 token-not-hex"),
    LogCase(
      "32 bytes in upper case",
      #"{"token":"00112233445566778899AABBCCDDEEFF0123456789ABCDEFFEDCBA9876543210","status":200}"#,
      "push 1 token=00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210 status=200"),
    LogCase(
      "the characters next to the digits", #"{"token":"/:@G`g09","status":200}"#,
      "push 1 text=/:@G`g09 status=200 token-not-hex"),
    LogCase(
      "NSData", #"{"token":"<0a0b0c0d 0e>","status":200}"#,
      "push 1 token=0a0b0c0d0e status=200"),
    LogCase(
      "base64, with an escaped slash",
      #"{"token":"GNbhysKora8lV3zKFNt3U1B\/TwOiiBJM6f4tYLq9e7A=","status":200}"#,
      "push 1 token=18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0 status=200"),
    LogCase("an empty one", #"{"token":"","status":200}"#, "unrelated 1+1"),
  ]

  static let texts: [LogCase] = [
    LogCase(
      "httpx",
      #"2026-11-24 03:12:33,092 INFO httpx HTTP Request: POST https://h:1/3/device/abab "HTTP/2 410 Gone""#,
      "push 1 token=abab status=410"),
    LogCase(
      "an access log", #"10.0.0.1 - - [24/Nov/2026] "POST /3/device/abab HTTP/2.0" 410 52"#,
      "push 1 token=abab status=410"),
    LogCase(
      "Java's HttpClient", "INFO: RESPONSE: (POST https://h:1/3/device/abab) 503 HTTP_2 Local port:  1",
      "push 1 token=abab status=503"),
    LogCase(
      "aioapns", "ERROR aioapns Status of notification 558f-1 is 503 (ServiceUnavailable)",
      "push 1 id=558f-1 status=503 reason=ServiceUnavailable uncorrelated"),
    LogCase(
      "PyAPNs2: accepted", "INFO Got response for abab: Success",
      "push 1 token=abab status=200 status-inferred"),
    LogCase(
      "PyAPNs2: rejected", "INFO Got response for abab: BadDeviceToken",
      "push 1 token=abab status=400 reason=BadDeviceToken status-inferred"),
    LogCase(
      "PyAPNs2: invalidated", "INFO Got response for abab: ('Unregistered', 1700000000123)",
      "push 1 token=abab status=410 reason=Unregistered time=1700000000123"),
    LogCase(
      "pushy: accepted",
      "response:SimplePushNotificationResponse{pushNotification=SimpleApnsPushNotification{token='abab', payload='{\"aps\":{\"alert\":\"}, success=false\"}}', invalidationTime=2021-07-01T11:38:36.885213Z, priority=IMMEDIATE, pushType=null, topic='com.example', collapseId='null', apnsId=null}, success=true, apnsId=3914-1, rejectionReason='null', tokenExpirationTimestamp=null}",
      "push 1 token=abab topic=com.example id=3914-1 status=200 status-inferred"),
    LogCase(
      "pushy: invalidated",
      "SimplePushNotificationResponse{pushNotification=SimpleApnsPushNotification{token='abab', payload='x', topic='com.example'}, success=false, apnsId=i, rejectionReason='Unregistered', tokenExpirationTimestamp=2023-11-14T22:13:20.123456Z}",
      "push 1 token=abab topic=com.example id=i status=410 reason=Unregistered time=1700000000123"
    ),
    LogCase("a path without a status", "POST /3/device/abab", "unrelated 1+1"),
    LogCase("a status of five digits", #"POST /3/device/abab "HTTP/2 41000""#, "unrelated 1+1"),
    LogCase("other text", "worker started\n\n[1] done", "unrelated 1+2"),
  ]

  @Test(arguments: objects + statuses + tokens + texts)
  func line(_ line: LogCase) throws {
    #expect(try DecodedLog(line.log, mapping: line.mapping).steps == line.steps)
  }

  static let mappings: [LogCase] = [
    LogCase("a member", #"{"dev":"ab","code":200}"#, "push 1 token=ab status=200", mapping: "token=dev"),
    LogCase(
      "members of other objects",
      #"{"a":{"b":{"c":"ab"}},"r":{"code":410,"why":"ExpiredToken"},"token":"no"}"#,
      "push 1 token=ab status=410 reason=ExpiredToken", mapping: "token=a.b.c,status=r.code,reason=r.why"),
    LogCase(
      "a mapped field has no other name", #"{"x":null,"token":"cd","status":200,"apns_id":"i"}"#,
      "push 1 id=i status=200 uncorrelated", mapping: "token=x"),
    LogCase(
      "a name of another field", #"{"token":"ab","reason":410,"status":"Unregistered"}"#,
      "push 1 token=ab status=410 reason=Unregistered", mapping: "status=reason,reason=status"),
    LogCase(
      "a path as one name", "r.code,token\n410,ab\n", "passed", "push 2 token=ab status=410",
      mapping: "status=r.code"),
    LogCase(
      "a column with a comma", "\"Error, if any\",token\nBadTopic,ab\n", "passed",
      "push 2 token=ab status=400 reason=BadTopic status-inferred", mapping: "reason=Error, if any"),
  ]

  @Test(arguments: mappings)
  func mapped(_ line: LogCase) throws {
    #expect(try DecodedLog(line.log, mapping: line.mapping).steps == line.steps)
  }

  @Test(arguments: [
    ("token", "--map has 'token': write NAME=COLUMN"), ("tokn=x", "--map has the unknown field 'tokn'"),
    ("token=x,token=y", "--map has 'token' twice"), ("token=", "--map has '': write a name"),
    ("token=a..b", "--map has 'a..b': write a name"),
    ("token=a.b.c.d.e", "--map has 'a.b.c.d.e': write a name, or up to 4 names"),
  ])
  func refusedMapping(_ text: String, _ message: String) {
    let failure = #expect(throws: CommandError.self) { try LogMapping(text) }
    #expect(failure?.message.text.hasPrefix(message) == true)
  }
}
