enum ArrowType: Sendable {
  case int64
  /// Microseconds since 1970-01-01T00:00:00Z.
  case timestamp
  case utf8
  case binary
  case utf8List
  case int64List

  /// Of the elements of a list; nil for other types.
  var element: ArrowType? {
    switch self {
    case .utf8List: .utf8
    case .int64List: .int64
    case .int64, .timestamp, .utf8, .binary: nil
    }
  }

  /// Whether values have 8 bytes.
  var isFixed: Bool { self == .int64 || self == .timestamp }
}

/// Messages of Arrow's IPC stream: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format, version 1.5.
/// The numbers are those of Schema.fbs and Message.fbs there.
enum ArrowMessage {
  static let end: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
  /// All lengths are multiples of it.
  static let alignment = 8

  private static let version: Int16 = 4  // V5

  private enum Header: UInt8 {
    case schema = 1
    case recordBatch = 3
  }

  /// The first message.
  static func schema(_ columns: [(name: String, type: ArrowType)], metadata: [(String, String)]) -> [UInt8] {
    var buffer = FlatBuffer()
    let header = begin(.schema, bodyLength: 0, &buffer)
    let parts = buffer.table([.none, .reference, .reference], for: header)
    let entries = buffer.vector(count: columns.count, for: parts[0])
    for (column, reference) in zip(columns, entries) {
      append(column.name, column.type, for: reference, &buffer)
    }
    let pairs = buffer.vector(count: metadata.count, for: parts[1])
    for ((key, value), reference) in zip(metadata, pairs) {
      let texts = buffer.table([.reference, .reference], for: reference)
      buffer.string(key, for: texts[0])
      buffer.string(value, for: texts[1])
    }
    return framed(buffer)
  }

  /// The head of a batch of rows.
  /// - Parameters:
  ///   - nodes: rows and nulls of each column, and of the elements of a list.
  ///   - buffers: offset in the body and length of each, in bytes.
  static func recordBatch(
    rows: Int, nodes: [(Int, Int)], buffers: [(Int, Int)], bodyLength: Int
  ) -> [UInt8] {
    var buffer = FlatBuffer()
    let header = begin(.recordBatch, bodyLength: bodyLength, &buffer)
    let parts = buffer.table([.number(Int64(rows)), .reference, .reference], for: header)
    buffer.vector(nodes, for: parts[0])
    buffer.vector(buffers, for: parts[1])
    return framed(buffer)
  }

  private static func begin(_ kind: Header, bodyLength: Int, _ buffer: inout FlatBuffer)
    -> FlatBuffer.Reference?
  {
    buffer.table([.number(version), .number(kind.rawValue), .reference, .number(Int64(bodyLength))]).first
  }

  /// Field, which may be null: name, nullable, type of the type, type, dictionary, children.
  private static func append(
    _ name: String, _ type: ArrowType, for reference: FlatBuffer.Reference, _ buffer: inout FlatBuffer
  ) {
    let (number, details) = encoding(type)
    let parts = buffer.table(
      [.reference, .number(UInt8(1)), .number(number), .reference, .none, .reference], for: reference)
    buffer.string(name, for: parts[0])
    let texts = buffer.table(details, for: parts[1])
    if type == .timestamp { buffer.string("UTC", for: texts[0]) }
    let element = type.element
    let children = buffer.vector(count: element == nil ? 0 : 1, for: parts[2])
    if let element { append("item", element, for: children[0], &buffer) }
  }

  /// The number of the type in the union, and the fields of its table.
  private static func encoding(_ type: ArrowType) -> (number: UInt8, fields: [FlatBuffer.Field]) {
    switch type {
    case .int64: (2, [.number(Int32(64)), .number(UInt8(1))])  // Int: width in bits, signed
    case .timestamp: (10, [.number(Int16(2)), .reference])  // Timestamp: microseconds, time zone
    case .binary: (4, [])
    case .utf8: (5, [])
    case .utf8List, .int64List: (12, [])
    }
  }

  /// Continuation mark, length of the metadata, and the metadata, padded.
  private static func framed(_ buffer: FlatBuffer) -> [UInt8] {
    var buffer = buffer
    buffer.align(to: alignment, after: 0)
    return withUnsafeBytes(of: Int32(truncatingIfNeeded: buffer.bytes.count).littleEndian) {
      [0xFF, 0xFF, 0xFF, 0xFF] + $0 + buffer.bytes
    }
  }
}
