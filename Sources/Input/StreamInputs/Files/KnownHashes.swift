import Basics
import PacketCapture

/// Digests of known files, such as those of NIST's National Software Reference Library (NSRL).
///
/// Memory: 16, 20 or 32 bytes a digest, and as much again while a list grows.
package struct KnownHashes: Sendable {
  private var tables = DigestKind.allCases.map { DigestTable($0) }

  package init() {}

  package var kinds: DigestKinds { tables.reduce(into: []) { if $1.count > 0 { $0.insert($1.kind) } } }

  package var count: Int { tables.reduce(0) { $0 + $1.count } }

  private var bytes: Int { tables.reduce(0) { $0 + $1.count * $1.kind.rawValue } }

  package func contains(_ digests: FileDigests) -> Bool {
    tables.contains { table in
      digests[table.kind].flatMap { Hex.bytes($0) }.map { table.contains($0) } ?? false
    }
  }

  /// Adds the digests of a list.
  /// - Parameter memory: limit of all lists, in bytes.
  /// - Returns: the number of lines without a digest, and the first of them, from 1.
  /// - Throws: a `CommandError` if the list cannot be read or has no digest, or if they exceed `memory`.
  package mutating func add(_ list: Input, memory: Int) throws -> (lines: Int, first: Int) {
    let known = count
    var others = (lines: 0, first: 0)
    do {
      var reader = try LineReader(list)
      var format = HashListFormat()
      var line: [UInt8] = []
      while try reader.next(into: &line) {
        switch format.content(of: line) {
        case .remark: break
        case .digest(let digits) where add(line[digits]):
          if bytes > memory {
            throw CommandError(
              .about(
                list.name,
                "the lists of known files need more than \(ByteSize.text(memory)) of memory: raise "
                  + "--memory, or give a smaller list"))
          }
        case .digest, .other:
          if others.lines == 0 { others.first = reader.lineNumber }
          others.lines += 1
        }
      }
    } catch let error as InputError {
      throw CommandError(.about(list.name, error.located))
    }
    if count == known {
      throw CommandError(
        .about(
          list.name,
          "no hashes: expected lines of md5sum, sha1sum, sha256sum or hashdeep, or a table of NSRL with "
            + "its header line"))
    }
    for index in tables.indices { tables[index].sort() }
    return others
  }

  /// Adds a digest in hex; false if it is none.
  private mutating func add(_ digits: ArraySlice<UInt8>) -> Bool {
    guard let index = tables.firstIndex(where: { 2 * $0.kind.rawValue == digits.count }) else { return false }
    return tables[index].append(digits)
  }
}

/// Digests of one kind, in one buffer for each first byte: a buffer is sorted with little memory, and searched fast.
private struct DigestTable: Sendable {
  let kind: DigestKind
  private(set) var count = 0
  private var buffers = [[UInt8]](repeating: [], count: 256)
  private var digest: [UInt8] = []
  /// Bytes of each buffer that are sorted.
  private var sorted = [Int](repeating: 0, count: 256)

  private var width: Int { kind.rawValue }

  init(_ kind: DigestKind) { self.kind = kind }

  /// Adds a digest in hex of the right length; false if it is not hex.
  mutating func append(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.withUnsafeBytes({ digest.replace(with: $0, by: Hex.decode) }), let first = digest.first
    else { return false }
    buffers[Int(first)] += digest
    count += 1
    return true
  }

  mutating func sort() {
    let (width, order) = (width, order)
    for index in buffers.indices where sorted[index] < buffers[index].count {
      let count = buffers[index].count / width
      buffers[index].withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { qsort(base, count, width, order) }
      }
      sorted[index] = buffers[index].count
    }
  }

  /// The order of digests for qsort(3), which does not pass their width.
  private var order: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Int32 {
    switch kind {
    case .md5: { left, right in compare(left, right, 16) }
    case .sha1: { left, right in compare(left, right, 20) }
    case .sha256: { left, right in compare(left, right, 32) }
    }
  }

  func contains(_ digest: [UInt8]) -> Bool {
    guard digest.count == width, let first = digest.first else { return false }
    return buffers[Int(first)].withUnsafeBytes { bytes in
      var low = 0
      var high = bytes.count / width
      while low < high {
        let middle = (low + high) / 2
        let entry = UnsafeRawBufferPointer(rebasing: bytes[middle * width..<(middle + 1) * width])
        if entry.elementsEqual(digest) { return true }
        if entry.lexicographicallyPrecedes(digest) { low = middle + 1 } else { high = middle }
      }
      return false
    }
  }
}

private func compare(_ left: UnsafeRawPointer?, _ right: UnsafeRawPointer?, _ count: Int) -> Int32 {
  guard let left, let right else { return 0 }
  return memcmp(left, right, count)
}

/// Finds the digest in the lines of a list: of md5sum, sha1sum, sha256sum (also in their BSD form), hashdeep, or a
/// table with a header line, as those of NSRL.
private struct HashListFormat {
  enum LineContent {
    /// Indices of its digits.
    case digest(Range<Int>)
    /// A comment, an empty line or a header.
    case remark
    case other
  }

  /// Index of the field with the digest, after a header line.
  private var column: Int?

  /// Columns with digests, without punctuation, from the strongest on.
  private static let names = ["sha256", "sha1", "md5"]

  mutating func content(of line: [UInt8]) -> LineContent {
    guard let first = line.first, first != UInt8(ascii: "#") else { return .remark }
    // hashdeep marks its header so.
    let isHeader = line.starts(with: "%%%%".utf8)
    if let digits = isHeader ? nil : digits(in: line) { return .digest(digits) }
    guard let found = Self.column(in: line.drop { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: " ") }) else {
      return isHeader ? .remark : .other
    }
    column = found
    return .remark
  }

  private func digits(in line: [UInt8]) -> Range<Int>? {
    if let column { return Self.field(column, of: line[...]) }
    // GNU's tools write a backslash before a name with escapes.
    let start = line.first == UInt8(ascii: "\\") || line.first == UInt8(ascii: "\"") ? 1 : 0
    let leading = start..<start + line[start...].prefix { Hex.value(ofDigit: $0) != nil }.count
    if Self.isDigest(leading.count) { return leading }
    // The BSD form: `SHA256 (name) = digits`.
    guard let mark = line.lastIndex(of: UInt8(ascii: "=")), mark + 2 < line.count,
      Self.isDigest(line.count - mark - 2)
    else { return nil }
    return mark + 2..<line.count
  }

  private static func isDigest(_ digits: Int) -> Bool { digits == 32 || digits == 40 || digits == 64 }

  private static func column(in header: ArraySlice<UInt8>) -> Int? {
    var fields: [String] = []
    while let field = field(fields.count, of: header) {
      let text = String(decoding: header[field], as: UTF8.self).lowercased()
      fields.append(text.filter { $0.isLetter || $0.isNumber })
    }
    return names.lazy.compactMap { fields.firstIndex(of: $0) }.first
  }

  /// Indices of a field of a comma-separated line, without its quotes.
  private static func field(_ number: Int, of line: ArraySlice<UInt8>) -> Range<Int>? {
    var start = line.startIndex
    var isQuoted = false
    var field = 0
    for index in line.indices {
      if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard line[index] == UInt8(ascii: ","), !isQuoted else { continue }
      if field == number { return unquoted(start..<index, in: line) }
      field += 1
      start = index + 1
    }
    return field == number && start < line.endIndex ? unquoted(start..<line.endIndex, in: line) : nil
  }

  private static func unquoted(_ field: Range<Int>, in line: ArraySlice<UInt8>) -> Range<Int> {
    let quote = UInt8(ascii: "\"")
    guard field.count >= 2, line[field.lowerBound] == quote, line[field.upperBound - 1] == quote else {
      return field
    }
    return field.lowerBound + 1..<field.upperBound - 1
  }
}
