import WireBytes

/// One item of command 2: id u8, length u16, data (protocol.md, "Gateway requests").
public struct RequestItem: Equatable, Sendable {
  /// The items that the protocol knows.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case token = 1
    case payload, identifier, expiry, priority

    /// Bytes of its data where they are always as many.
    var size: Int? {
      switch self {
      case .token, .payload: nil
      case .identifier, .expiry: 4
      case .priority: 1
      }
    }

    var bit: UInt8 { 1 << rawValue }
  }

  public var id: UInt8
  /// Where its data stands: indices from 0 into the bytes that it was read from.
  public var data: Range<Int>

  /// Whether its data is as long as that of its kind; of an unknown kind, any is.
  var hasItsSize: Bool {
    guard let size = Kind(rawValue: id)?.size else { return true }
    return data.count == size
  }
}

/// The items of command 2 in the order of the wire, without those that reach beyond the frame.
public struct RequestItems: Equatable, Sendable {
  private var place: Int
  private let end: Int

  /// - Parameter range: where they stand, indices from 0 into the bytes that `next(in:)` is given.
  public init(_ range: Range<Int>) {
    place = range.lowerBound
    end = range.upperBound
  }

  /// The next item; nil where none is whole.
  public mutating func next(in bytes: RawSpan) -> RequestItem? {
    guard end - place >= RequestLayout.itemHeaderLength else { return nil }
    let data = place + RequestLayout.itemHeaderLength
    let length = Int(bytes.bigEndianUInt16(at: place + 1))
    guard end - data >= length else { return nil }
    defer { place = data + length }
    return RequestItem(id: bytes.byte(at: place), data: data..<data + length)
  }

  /// Whether the items so far fill the frame.
  public var isAtEnd: Bool { place == end }
}
