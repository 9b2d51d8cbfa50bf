import APNsWire
import Basics

package struct DumpField: Equatable, Sendable {
  /// Indices from 0 into the record's bytes.
  package var range: Range<Int>
  /// The name in the protocol (docs/formats.md).
  package var name: String
  /// Empty if the bytes need no interpretation.
  package var value: String
  /// Whether to show the bytes as text next to the hex.
  package var isText = false

  package init(_ range: Range<Int>, _ name: String, _ value: String = "", isText: Bool = false) {
    (self.range, self.name, self.value, self.isText) = (range, name, value, isText)
  }
}

/// The fields of complete records, in wire order; they cover every byte.
package enum DumpFields {
  /// Of a feedback tuple: time u32, token length u16, token.
  package static func feedback(_ bytes: [UInt8]) -> [DumpField] {
    guard bytes.count >= 6 else { return rest(of: bytes, from: 0, "cut off") }
    let span = bytes.span.bytes
    let seconds = span.bigEndianUInt32(at: 0)
    return [
      DumpField(0..<4, "time", "\(UTCTime.text(seconds)), \(seconds) seconds since 1970"),
      DumpField(4..<6, "token length", "\(span.bigEndianUInt16(at: 4))"),
    ] + rest(of: bytes, from: 6, "token")
  }

  /// Of an error response: command u8, status u8, identifier u32.
  package static func response(_ response: ErrorResponse) -> [DumpField] {
    let status = ErrorStatus(rawValue: response.status)?.text ?? "unknown"
    return [
      DumpField(0..<1, "command", "\(ErrorResponse.command), error response"),
      DumpField(1..<2, "status", "\(response.status), \(status)"),
      DumpField(2..<6, "identifier", "\(response.identifier)"),
    ]
  }

  package static func request(_ bytes: [UInt8]) -> [DumpField] {
    guard let command = bytes.first else { return [] }
    let span = bytes.span.bytes
    let fields = RequestFields(0..<bytes.count, in: span)
    var found = [DumpField(0..<1, "command", "\(command)")]
    func number(_ range: Range<Int>) -> UInt32 { span.bigEndianUInt32(at: range.lowerBound) }
    if var items = fields.items {
      found.append(DumpField(1..<5, "frame length", "\(number(1..<5))"))
      var end = 5
      while let item = items.next(in: span) {
        found += Self.item(item, span)
        end = item.data.upperBound
      }
      return found + rest(of: bytes, from: end, "no item")
    }
    if command == 1 {
      found.append(DumpField(1..<5, "identifier", "\(number(1..<5))"))
      found.append(DumpField(5..<9, "expiry", expiry(number(5..<9))))
    }
    guard let token = fields.token, let payload = fields.payload else {
      return rest(of: bytes, from: 0, "bytes")
    }
    return found
      + [
        DumpField(token.lowerBound - 2..<token.lowerBound, "token length", "\(token.count)"),
        DumpField(token, "token"),
        DumpField(payload.lowerBound - 2..<payload.lowerBound, "payload length", "\(payload.count)"),
        DumpField(payload, "payload", isText: true),
      ].filter { !$0.range.isEmpty }
  }

  private static func item(_ item: RequestItem, _ bytes: RawSpan) -> [DumpField] {
    let start = item.data.lowerBound
    let kind = RequestItem.Kind(rawValue: item.id)
    let name = kind.map { "\($0)" } ?? "data"
    let head = [
      DumpField(start - 3..<start - 2, "item", "\(item.id), \(kind.map { "\($0)" } ?? "unknown")"),
      DumpField(start - 2..<start, "item length", "\(item.data.count)"),
    ]
    if item.data.isEmpty { return head }
    let value: String =
      switch (kind, item.data.count) {
      case (.identifier, 4): "\(bytes.bigEndianUInt32(at: start))"
      case (.expiry, 4): expiry(bytes.bigEndianUInt32(at: start))
      case (.priority, 1): "\(bytes.byte(at: start))"
      default: ""
      }
    return head + [DumpField(item.data, name, value, isText: kind == .payload)]
  }

  private static func expiry(_ seconds: UInt32) -> String {
    seconds == 0 ? "0, not stored" : "\(UTCTime.text(seconds)), \(seconds) seconds since 1970"
  }

  private static func rest(of bytes: [UInt8], from start: Int, _ name: String) -> [DumpField] {
    start < bytes.count ? [DumpField(start..<bytes.count, name)] : []
  }
}
