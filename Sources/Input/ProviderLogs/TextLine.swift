import APNsWire
import Basics

/// Reads lines of text with a push and its answer (docs/spec/provider-logs.md#text).
struct TextLine {
  private let line: UnsafeRawPointer
  private let text: LogText
  private var end: Int { text.bytes.count }

  static func read(_ line: UnsafeRawPointer, _ range: Range<Int>, into push: LogPush) -> LogOutcome {
    TextLine(line: line, text: LogText(UnsafeRawBufferPointer(start: line, count: range.upperBound)))
      .read(from: range.lowerBound, into: push)
  }

  /// Searches for the first known form.
  private func read(from start: Int, into push: LogPush) -> LogOutcome {
    for index in start..<end {
      switch text.bytes[index] {
      case UInt8(ascii: "/") where text.begins("/3/device/", at: index):
        return readPath(at: index &+ 10, into: push)
      case UInt8(ascii: "S") where text.begins("SimplePushNotificationResponse{", at: index):
        return readPushy(from: index &+ 31, into: push)
      case UInt8(ascii: "S") where text.begins("Status of notification ", at: index):
        return readAioapns(at: index &+ 23, into: push)
      case UInt8(ascii: "G") where text.begins("Got response for ", at: index):
        return readPyAPNs(at: index &+ 17, into: push)
      default: break
      }
    }
    return .unrelated
  }

  /// A path or URL, then the status: `… HTTP/2" 410` of access logs, `"HTTP/2 410 Gone"` of httpx, `) 410 HTTP_2` of
  /// Java's HttpClient.
  private func readPath(at start: Int, into push: LogPush) -> LogOutcome {
    let token = text.token(at: start)
    guard !token.isEmpty,
      let status = statusAfterVersion(from: token.upperBound) ?? statusBeforeVersion(from: token.upperBound)
    else { return .unrelated }
    push.make(token: token, status: status, of: line)
    return .push
  }

  private func statusAfterVersion(from start: Int) -> UInt16? {
    guard let version = text.index(of: " HTTP/", from: start) ?? text.index(of: "\"HTTP/", from: start) else {
      return nil
    }
    var index = version &+ 6
    while index < end, text.bytes[index] != UInt8(ascii: " ") { index &+= 1 }
    return text.status(at: index &+ 1)
  }

  private func statusBeforeVersion(from start: Int) -> UInt16? {
    guard text.begins(") ", at: start), text.begins(" HTTP_", at: start &+ 5) else { return nil }
    return text.status(at: start &+ 2)
  }

  /// `SimplePushNotificationResponse{pushNotification=SimpleApnsPushNotification{token='…', …}, success=…, apnsId=…,
  /// rejectionReason='…', tokenExpirationTimestamp=…}` of pushy. The payload may be any text: fields after
  /// it are searched from the line's end.
  private func readPushy(from start: Int, into push: LogPush) -> LogOutcome {
    guard let token = text.range(after: "{token='", before: "'", from: start), !token.isEmpty,
      let success = text.lastIndex(of: "}, success=", from: start),
      let isAccepted = text.begins("true", at: success &+ 11)
        ? true : text.begins("false", at: success &+ 11) ? false : nil
    else { return .unrelated }
    var values = LogValues()
    put(.token, token, in: &values)
    put(.status, text.range(after: ", statusCode=", before: ",", from: success), in: &values)
    put(.apnsID, text.range(after: ", apnsId=", before: ",", from: success), in: &values)
    put(.reason, text.range(after: ", rejectionReason='", before: "'", from: success), in: &values)
    let time = text.range(after: ", tokenExpirationTimestamp=", before: "}", from: success)
    put(.invalidation, time, in: &values)
    if let topic = text.lastIndex(of: ", topic='", from: start, before: success) {
      put(.topic, text.range(after: ", topic='", before: "'", from: topic), in: &values)
    }
    return push.make(values, of: line, isAccepted: isAccepted)
  }

  /// `Status of notification ID is 410 (Unregistered)` of aioapns; it has no token.
  private func readAioapns(at start: Int, into push: LogPush) -> LogOutcome {
    guard let verb = text.index(of: " is ", from: start), text.status(at: verb &+ 4) != nil else {
      return .unrelated
    }
    var values = LogValues()
    put(.apnsID, start..<verb, in: &values)
    put(.status, verb &+ 4..<verb &+ 7, in: &values)
    if let reason = text.range(after: " (", before: ")", from: verb &+ 7),
      !text.begins("None", at: reason.lowerBound)
    {
      put(.reason, reason, in: &values)
    }
    return push.make(values, of: line)
  }

  /// `Got response for TOKEN: Success`, `…: BadDeviceToken` or `…: ('Unregistered', 1700000000123)` of PyAPNs2.
  private func readPyAPNs(at start: Int, into push: LogPush) -> LogOutcome {
    let token = text.token(at: start)
    guard !token.isEmpty, text.begins(": ", at: token.upperBound) else { return .unrelated }
    let result = token.upperBound &+ 2
    var values = LogValues()
    put(.token, token, in: &values)
    if text.begins("('", at: result) {
      put(.reason, text.range(after: "('", before: "'", from: result), in: &values)
      put(.invalidation, text.range(after: ", ", before: ")", from: result), in: &values)
    } else {
      let last = text.bytes[result...].lastIndex { $0 > 0x20 } ?? result &- 1
      put(.reason, result..<last &+ 1, in: &values)
    }
    return push.make(values, of: line)
  }

  /// Puts a text, unless it is empty or `null`.
  private func put(_ field: LogField, _ range: Range<Int>?, in values: inout LogValues) {
    guard let range, !range.isEmpty else { return }
    if range.count == 4, text.begins("null", at: range.lowerBound) { return }
    let value = LogValue(.text, range.lowerBound, range.upperBound)
    values.put(value, for: LogNames.Meaning(field: field, rank: 3), in: line)
  }
}
