/// A row on its way into a database, in memory that is used again for the next one.
package final class RowBuffer {
  private let fields: UnsafeMutableBufferPointer<SQLField>
  /// Texts and bytes that nobody else keeps until the row is lent, and whose they are.
  private var content: [UInt8] = []
  private var copied: [(index: Int, range: Range<Int>, isText: Bool)] = []

  package init(count: Int) {
    fields = .allocate(capacity: count)
    fields.initialize(repeating: .null)
  }

  deinit { fields.deallocate() }

  package var count: Int { fields.count }

  /// - Parameter field: whose memory lasts until the row was lent.
  package func set(_ index: Int, _ field: SQLField) { fields[index] = field }

  package func set(_ index: Int, copying value: SQLValue) {
    switch value {
    case .null: fields[index] = .null
    case .integer(let value): fields[index] = .integer(value)
    case .real(let value): fields[index] = .real(value)
    case .text(let text): copy(index, text.utf8, isText: true)
    case .bytes(let bytes): copy(index, bytes, isText: false)
    }
  }

  private func copy(_ index: Int, _ bytes: some Sequence<UInt8>, isText: Bool) {
    let start = content.count
    content.append(contentsOf: bytes)
    copied.append((index, start..<content.count, isText))
  }

  /// Lends the row, and forgets what was copied into it.
  package func lend<Result>(_ body: (SQLFields) throws -> Result) rethrows -> Result {
    if copied.isEmpty { return try body(SQLFields(fields)) }
    defer {
      content.removeAll(keepingCapacity: true)
      copied.removeAll(keepingCapacity: true)
    }
    return try content.withUnsafeBytes { bytes in
      for (index, range, isText) in copied {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        fields[index] = isText ? .text(part) : .bytes(part)
      }
      return try body(SQLFields(fields))
    }
  }
}

extension SQLField {
  /// Lends `values` as a row.
  package static func withRow<Result>(
    of values: [SQLValue], _ body: (SQLFields) throws -> Result
  ) rethrows -> Result {
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, copying: value) }
    return try row.lend(body)
  }
}
