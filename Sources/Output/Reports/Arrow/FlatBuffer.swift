/// Writes a FlatBuffer, the encoding of Arrow's metadata, from front to back: a table comes before what it refers to.
///
/// Format: https://flatbuffers.dev/internals/. All offsets are relative and lead forward, except that of a table to its
/// vtable, which comes first.
struct FlatBuffer {
  enum Field {
    /// The default value, which is not written.
    case none
    case number(any FixedWidthInteger)
    /// To be resolved with `refer` once the target is written.
    case reference

    fileprivate var size: Int {
      switch self {
      case .none: 0
      case .number(let value): value.bitWidth / 8
      case .reference: 4
      }
    }
  }

  struct Reference { fileprivate var offset: Int }

  /// Begins with the offset of the root, which is the first table.
  private(set) var bytes: [UInt8] = [0, 0, 0, 0]
  private let root = Reference(offset: 0)

  // MARK: - Tables

  /// Writes a table as the target of `reference`; nil for the root.
  /// - Parameter fields: by their numbers in the schema.
  /// - Returns: the references among the fields, in their order.
  @discardableResult
  mutating func table(_ fields: [Field], for reference: Reference? = nil) -> [Reference] {
    var offsets = [Int](repeating: 0, count: fields.count)
    var length = 4
    // The table begins 4 bytes before a multiple of 8. From the largest field to the smallest, all are aligned.
    for size in [8, 4, 2, 1] {
      for index in fields.indices where fields[index].size == size {
        offsets[index] = length
        length += size
      }
    }
    let vtableLength = 4 + 2 * fields.count
    while (bytes.count + vtableLength) % 8 != 4 { bytes.append(0) }
    let vtable = bytes.count
    append(UInt16(truncatingIfNeeded: vtableLength))
    append(UInt16(truncatingIfNeeded: length))
    for offset in offsets { append(UInt16(truncatingIfNeeded: offset)) }
    let start = bytes.count
    resolve(reference ?? root, start)
    append(Int32(truncatingIfNeeded: start - vtable))
    bytes.append(contentsOf: repeatElement(0, count: length - 4))
    var references: [Reference] = []
    for (field, offset) in zip(fields, offsets) {
      switch field {
      case .none: break
      case .number(let value): store(value, at: start + offset)
      case .reference: references.append(Reference(offset: start + offset))
      }
    }
    return references
  }

  // MARK: - Vectors and strings

  mutating func string(_ text: String, for reference: Reference) {
    align(to: 4, after: 0)
    resolve(reference, bytes.count)
    append(UInt32(truncatingIfNeeded: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// Writes a vector of references, and returns them.
  mutating func vector(count: Int, for reference: Reference) -> [Reference] {
    align(to: 4, after: 0)
    resolve(reference, bytes.count)
    append(UInt32(truncatingIfNeeded: count))
    return (0..<count).map { _ in
      defer { append(UInt32(0)) }
      return Reference(offset: bytes.count)
    }
  }

  /// Writes a vector of structs that consist of two 64-bit numbers.
  mutating func vector(_ pairs: [(Int, Int)], for reference: Reference) {
    align(to: 8, after: 4)
    resolve(reference, bytes.count)
    append(UInt32(truncatingIfNeeded: pairs.count))
    for (first, second) in pairs {
      append(Int64(first))
      append(Int64(second))
    }
  }

  // MARK: - Bytes

  /// Pads so that what follows the next `length` bytes is aligned.
  mutating func align(to alignment: Int, after length: Int) {
    while (bytes.count + length) % alignment != 0 { bytes.append(0) }
  }

  private mutating func resolve(_ reference: Reference, _ target: Int) {
    store(UInt32(truncatingIfNeeded: target - reference.offset), at: reference.offset)
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for index in source.indices { bytes[offset + index] = source[index] }
    }
  }
}
