import JSON

/// A record, finding, stream or summary of NDJSON (interface.md, "export"), ready to be compared.
package struct EvidenceRecord: Sendable {
  /// In what order evidence is compared: source, stream, direction, offset, type. What is null comes first.
  package struct Place: Comparable, Sendable {
    var source: [UInt8]
    var stream: Int
    var direction: [UInt8]
    var offset: Int
    var type: [UInt8]

    package static func < (left: Place, right: Place) -> Bool {
      if left.source != right.source { return left.source.lexicographicallyPrecedes(right.source) }
      if left.stream != right.stream { return left.stream < right.stream }
      if left.direction != right.direction {
        return left.direction.lexicographicallyPrecedes(right.direction)
      }
      if left.offset != right.offset { return left.offset < right.offset }
      return left.type.lexicographicallyPrecedes(right.type)
    }
  }

  package let place: Place
  /// The members that are compared, their keys sorted; those that are null are left out, so that a key may be
  /// absent.
  package let canonical: [UInt8]
  /// As it is written into an expectation, its keys in the order in which they came.
  package let written: [UInt8]

  /// The key that says nothing about the bytes, and may be worded anew at any time.
  static let leftOut = "message"

  /// - Parameter object: an object with a `type`.
  init(_ object: JSONValue) {
    place = Place(object)
    canonical = Array(JSONValue.object(Self.members(object).filter { !$0.1.isNull }).canonical.text.utf8)
    written = Self.written(object)
  }

  /// - Parameter bytes: what `written` has returned.
  init(written bytes: ArraySlice<UInt8>) {
    self.init((try? JSONReader.value(of: bytes)) ?? .object([]))
  }

  static func written(_ object: JSONValue) -> [UInt8] {
    Array(JSONValue.object(members(object)).text.utf8)
  }

  private static func members(_ object: JSONValue) -> [(String, JSONValue)] {
    object.members.filter { $0.0 != leftOut }
  }
}

extension EvidenceRecord.Place {
  init(_ object: JSONValue) {
    source = Self.bytes(object["source"])
    stream = object["stream"]?.intValue ?? -1
    direction = Self.bytes(object["direction"])
    offset = object["offset"]?.intValue ?? -1
    type = Self.bytes(object["type"])
  }

  private static func bytes(_ value: JSONValue?) -> [UInt8] { Array((value?.stringValue ?? "").utf8) }
}

extension EvidenceRecord: Comparable {
  /// By place; of several at one place by what they say.
  package static func < (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.place == right.place
      ? left.canonical.lexicographicallyPrecedes(right.canonical) : left.place < right.place
  }

  package static func == (left: EvidenceRecord, right: EvidenceRecord) -> Bool {
    left.canonical == right.canonical
  }
}
