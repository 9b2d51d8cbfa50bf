import JSON

/// A record, finding, stream or summary of NDJSON, ready to be compared.
package struct EvidenceRecord: Sendable {
  /// Where it is. What is null comes first.
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
  /// The members that are compared, their keys sorted; those that are null are left out, so that a key may be
  /// absent.
  package let canonical: [UInt8]
  /// As it is written into an expectation, its keys in the order in which they came.
  package let written: [UInt8]

  /// - Parameter object: an object with a `type`.
  init(_ object: JSONValue) {
    position = Position(object)
    // A message says nothing about the bytes, and may be worded anew at any time.
    let members = object.members.filter { $0.0 != "message" }
    canonical = Array(JSONValue.object(members.filter { !$0.1.isNull }).canonical.text.utf8)
    written = Array(JSONValue.object(members).text.utf8)
  }
}

extension EvidenceRecord: Comparable {
  /// By position; of several at one position by what they say.
  package static func < (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.position == right.position
      ? left.canonical.lexicographicallyPrecedes(right.canonical) : left.position < right.position
  }

  package static func == (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.canonical == right.canonical
  }
}
