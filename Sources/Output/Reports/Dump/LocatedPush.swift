import APNsWire
import Analysis
import Basics

extension RecordLocator {
  /// Shows the fields of pushes as text, without a dump: their header blocks refer to earlier ones.
  package func exchanges(_ found: PushRecords, in bytes: RawSpan) { pushes(found, in: bytes) }

  package func pushes(_ found: PushRecords, in bytes: RawSpan) {
    for push in found.records where matches(push, found.labels, in: bytes) {
      add(
        LocatedBytes(
          PushRow(record: push, labels: found.labels),
          push.fields.line.map { "push in line \($0)" } ?? push.fields.service.name,
          [], [], remarks: Self.remarks(push, in: bytes) + localTime(push.fields.time)))
    }
  }

  /// Whether the target is the push's number, token, or the first byte of its request or response.
  private func matches(_ push: PushRecord, _ labels: StreamLabels, in bytes: RawSpan) -> Bool {
    let range = push.offset..<push.offset + 1
    let isMatch = matches(labels, push.direction, range, packet: push.packet?.number) {
      push.has(token: $0, in: bytes)
    }
    if isMatch { return true }
    guard matches(labels, .client) else { return false }
    return switch target {
    case .record, .token: false
    case .offset(let offset): push.requestOffset == offset
    case .packet(let number): push.requestPacket == number
    }
  }

  private static let names: [(text: PushFields.Text, name: String)] = [
    (.tokenText, "token, not hex"), (.topic, "topic"), (.channelID, "channel id"),
    (.requestID, "apns-request-id"), (.pushType, "push type"), (.apnsID, "apns-id"),
    (.uniqueID, "apns-unique-id"), (.collapseID, "collapse id"), (.reason, "reason"),
  ]

  private static func remarks(_ push: PushRecord, in bytes: RawSpan) -> [String] {
    let fields = push.fields
    func content(_ text: PushFields.Text) -> [UInt8]? {
      fields[text].map { bytes.extracting($0).withUnsafeBytes { Array($0) } }
    }
    func text(_ member: PushFields.Text) -> String? {
      content(member).map { VisibleText.of(String(decoding: $0, as: UTF8.self)) }
    }
    var remarks: [String] = []
    func add(_ name: String, _ value: (some CustomStringConvertible)?) {
      if let value { remarks.append("\(name): \(value)") }
    }
    if let offset = push.requestOffset, push.direction == .server {
      remarks.append(
        "request at offset \(offset) of the client" + (push.requestPacket.map { ", packet \($0)" } ?? ""))
    }
    add("HTTP/2 stream", fields.http2Stream)
    add("token", content(.token).map { Hex.string($0) })
    for (member, name) in names {
      add(member == .app && fields.service != .push ? "app" : name, text(member))
    }
    add("storage policy", fields.storagePolicy)
    add("channels", fields.channels)
    add("priority", fields.priority)
    add("expiration", fields.expiration)
    add(fields.service.kind == .channel ? "body length" : "payload length", fields.payloadLength)
    add("status", fields.status)
    add("timestamp in milliseconds", fields.timestamp)
    add("outcome", fields.outcome.rawValue)
    if !fields.flags.isEmpty { add("flags", fields.flags.codes.joined(separator: ", ")) }
    return remarks
  }
}

extension ServiceRequest {
  /// Of a record, for people.
  fileprivate var name: String {
    switch self {
    case .push, .broadcast: rawValue
    case .create, .read, .list, .delete: "channel request (\(rawValue))"
    case .channel: "channel request"
    }
  }
}
