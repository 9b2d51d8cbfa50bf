/// A reusable buffer for a row on its way into a database.
package final class RowBuffer {
  private let fields: UnsafeMutableBufferPointer<SQLField>
  // Checks of exclusive access take longer than the copies. Only `lend` calls out, and what it reads stays as it is.
  /// Copied texts and bytes, with the indices of their fields.
  @exclusivity(unchecked) private var content: [UInt8] = []
  @exclusivity(unchecked) private var copied: [(index: Int, range: Range<Int>, isText: Bool)] = []

  package init(count: Int) {
    fields = .allocate(capacity: count)
    fields.initialize(repeating: .null)
  }

  deinit { fields.deallocate() }

  /// Without copied values.
  var row: SQLFields { SQLFields(fields) }
  /// How many bytes were copied since the last row.
  package var copiedLength: Int { content.count }
  /// - Parameter field: its memory must stay valid until the row is lent.
  package func set(_ index: Int, _ field: SQLField) { fields[index] = field }
  package func set(_ index: Int, copying value: SQLValue) { value.withField { set(index, copying: $0) } }

  package func set(_ index: Int, copying field: SQLField) {
    let (bytes, isText): (UnsafeRawBufferPointer, Bool)
    switch field {
    case .null, .integer, .real:
      fields[index] = field
      return
    case .text(let text): (bytes, isText) = (text, true)
    case .bytes(let blob): (bytes, isText) = (blob, false)
    }
    let start = content.count
    content.append(contentsOf: bytes)
    copied.append((index, start..<content.count, isText))
  }

  /// Lends the row, or its first `count` fields, and forgets the copies.
  package func lend<Result>(
    first count: Int? = nil, _ body: (SQLFields) throws -> Result
  ) rethrows -> Result {
    let row = SQLFields(rebasing: fields[..<(count ?? fields.count)])
    if copied.isEmpty { return try body(row) }
    defer {
      content.removeAll(keepingCapacity: true)
      copied.removeAll(keepingCapacity: true)
    }
    return try content.withUnsafeBytes { bytes in
      for (index, range, isText) in copied {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        fields[index] = isText ? .text(part) : .bytes(part)
      }
      return try body(row)
    }
  }
}

extension SQLField {
  package static func withRow<Result>(
    of values: [SQLValue], _ body: (SQLFields) throws -> Result
  ) rethrows -> Result {
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, copying: value) }
    return try row.lend(body)
  }
}
