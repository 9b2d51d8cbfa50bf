import Basics

/// A record, finding, stream or summary of NDJSON, in comparable form.
package struct EvidenceRecord: Comparable, Sendable {
  /// The sort key. Null values come first.
  struct Position: Comparable, Sendable {
    let source: String
    let stream: Int
    let direction: String
    let offset: Int
    let type: String

    init(_ object: JSONValue) {
      source = object["source"]?.stringValue ?? ""
      stream = object["stream"]?.intValue ?? -1
      direction = object["direction"]?.stringValue ?? ""
      offset = object["offset"]?.intValue ?? -1
      type = object["type"]?.stringValue ?? ""
    }

    static func < (left: Position, right: Position) -> Bool {
      (left.source, left.stream, left.direction, left.offset, left.type)
        < (right.source, right.stream, right.direction, right.offset, right.type)
    }
  }

  let position: Position
  /// The compared members with sorted keys. Null members are left out, so that a key may be absent.
  package let canonical: [UInt8]
  /// The form for an expectation, with the keys in their original order.
  package let written: [UInt8]

  /// - Parameter object: an object with a `type`.
  init(_ object: JSONValue) {
    position = Position(object)
    // Messages are not compared, because their wording may change.
    let members = object.members.filter { $0.0 != "message" }
    canonical = Array(JSONValue.object(members.filter { !$0.1.isNull }).canonical.text.utf8)
    written = Array(JSONValue.object(members).text.utf8)
  }

  /// By position, then by content.
  package static func < (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.position == right.position
      ? left.canonical.lexicographicallyPrecedes(right.canonical) : left.position < right.position
  }

  package static func == (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.canonical == right.canonical
  }
}
