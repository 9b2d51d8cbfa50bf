/// Writes rows as an Arrow IPC stream, in batches.
final class ArrowTable: RowTable {
  /// Bytes of values after which a batch is written, whatever its rows: offsets have 31 bits.
  private static let fullBytes = 16 << 20

  private let columns: [ArrowColumn]
  private let fields: [(name: String, type: ArrowType)]
  private let output: OutputBuffer
  private let batchRows: Int
  private var rows = 0
  private var bytes = 0
  /// A value that all rows of a run have.
  private let scratch = OutputBuffer(nil)

  init(_ fields: [(name: String, type: ArrowType)], batchRows: Int, output: OutputBuffer) throws {
    (self.fields, self.batchRows, self.output) = (fields, batchRows, output)
    columns = try fields.map { try ArrowColumn($0.type) }
  }

  func begin(metadata: [(String, String)]) throws {
    try output.append(ArrowMessage.schema(fields, metadata: metadata))
  }

  /// Writes the last rows and the end of the stream.
  func end() throws {
    try writeBatch()
    try output.append(ArrowMessage.end)
  }

  /// A value that was written: where it ends, and whether it is null.
  typealias Value = (end: UnsafeMutableRawPointer, isNull: Bool)

  func append(_ row: [RowValue]) throws {
    for (column, value) in zip(columns, row) {
      try column.append(value.bytes, isNull: value.isNothing)
      bytes &+= value.bytes.count
    }
    try endRows(1)
  }

  /// The rows that the batch can take at once, at least 1.
  func room(rowLength: Int) -> Int { max(1, min(batchRows &- rows, Self.fullBytes / max(1, rowLength))) }

  /// Appends the value that `write` writes `times` times to a column.
  @inline(__always)
  func appendValue(
    _ column: Int, bound: Int, times: Int, _ write: (UnsafeMutableRawPointer) -> Value
  ) throws {
    var isNull = false
    scratch.removeAll()
    try scratch.extend(bound) { start in
      let value = write(start)
      isNull = value.isNull
      return value.end - start
    }
    try columns[column].append(scratch.bytes, isNull: isNull, times: times)
    bytes &+= scratch.count &* times
  }

  @inline(__always)
  func append(to column: Int, bytes count: Int, _ body: (ArrowColumn) throws -> Void) throws {
    try body(columns[column])
    bytes &+= count
  }

  /// All columns have `count` more values.
  func endRows(_ count: Int) throws {
    rows &+= count
    if rows >= batchRows || bytes >= Self.fullBytes { try writeBatch() }
  }

  private func writeBatch() throws {
    guard rows > 0 else { return }
    let buffers = columns.flatMap(\.buffers)
    var extents: [(Int, Int)] = []
    var length = 0
    for buffer in buffers {
      extents.append((length, buffer.count))
      length += Self.padded(buffer.count)
    }
    try output.append(
      ArrowMessage.recordBatch(
        rows: rows, nodes: columns.flatMap(\.nodes), buffers: extents, bodyLength: length))
    for buffer in buffers {
      try output.write(buffer.bytes)
      try output.append([UInt8](repeating: 0, count: Self.padded(buffer.count) - buffer.count))
    }
    for column in columns { try column.removeAll() }
    (rows, bytes) = (0, 0)
  }

  private static func padded(_ count: Int) -> Int {
    (count + ArrowMessage.alignment - 1) & ~(ArrowMessage.alignment - 1)
  }
}
