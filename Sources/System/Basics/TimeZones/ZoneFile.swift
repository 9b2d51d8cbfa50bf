/// Reads the compiled tz database: one file a zone, in the format TZif (RFC 8536).
enum ZoneFile {
  static let directory = "/usr/share/zoneinfo"
  /// Bytes; the largest has about 3600.
  private static let maxSize = 1 << 18
  private static let headerSize = 44

  /// The zone `name`; nil if the database has none, or an old version with 32 bits of seconds only.
  static func read(_ name: String) -> Zone? {
    isName(name) ? contents(of: "\(directory)/\(name)").flatMap(parse) : nil
  }

  /// The names of all zones; empty without a database.
  static var names: [String] {
    // Regions begin with a capital, unlike `posix` and `right`, which have the same zones again.
    let patterns = ["/[A-Z]*", "/[A-Z]*/*", "/[A-Z]*/*/*"].map { directory + $0 }
    var found = glob_t()
    defer { globfree(&found) }
    for (index, pattern) in patterns.enumerated() {
      _ = glob(pattern, GLOB_MARK | (index > 0 ? GLOB_APPEND : 0), nil, &found)
    }
    let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    return paths.map { String($0.dropFirst(directory.utf8.count + 1)) }.filter(isName)
  }

  /// Names with blanks or dots, and absolute paths, would name other files.
  private static func isName(_ name: String) -> Bool {
    name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_+-".contains($0)) }
    }
  }

  private static func contents(of path: String) -> [UInt8]? {
    ReadFiles.add(Array(path.utf8CString), as: "the file of --time-zone")
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: maxSize)
    let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
    guard ferror(file) == 0, count < maxSize else { return nil }
    return Array(bytes.prefix(count))
  }

  /// The counts of a block's items (RFC 8536, section 3.1), which give their offsets.
  private struct Block {
    var utcCount, standardCount, leapCount, changeCount, typeCount, nameBytes: Int
    /// Offset in bytes from 0 of the first item.
    var start: Int
    /// Bytes of a time.
    var width: Int

    /// Nil if there is no complete header at `offset`.
    init?(_ bytes: [UInt8], at offset: Int, width: Int) {
      guard bytes.count >= offset + headerSize, bytes[offset...].starts(with: "TZif".utf8) else { return nil }
      let counts = (0..<6).map { Int(bytes.span.bytes.bigEndianUInt32(at: offset + 20 + 4 * $0)) }
      (utcCount, standardCount, leapCount) = (counts[0], counts[1], counts[2])
      (changeCount, typeCount, nameBytes) = (counts[3], counts[4], counts[5])
      start = offset + headerSize
      self.width = width
    }

    var types: Int { start + changeCount * width }
    var infos: Int { types + changeCount }
    var end: Int { infos + typeCount * 6 + nameBytes + leapCount * (width + 4) + standardCount + utcCount }
  }

  /// The zone of a file; nil if it has another format, is damaged, or counts leap seconds, unlike POSIX time.
  static func parse(_ bytes: [UInt8]) -> Zone? {
    // The first block is for programs of 32 bits. From version 2 on a second one follows, and a rule.
    guard let old = Block(bytes, at: 0, width: 4), bytes[4] >= UInt8(ascii: "2"),
      let block = Block(bytes, at: old.end, width: 8), block.end <= bytes.count,
      block.leapCount == 0, block.typeCount > 0
    else { return nil }
    let offsets = (0..<block.typeCount).map { type in
      Int64(Int32(bitPattern: bytes.span.bytes.bigEndianUInt32(at: block.infos + 6 * type)))
    }
    guard offsets.allSatisfy({ Zone.offsets.contains($0) }) else { return nil }
    var changes: [Zone.Change] = []
    for index in 0..<block.changeCount {
      let type = Int(bytes[block.types + index])
      let start = block.start + 8 * index
      let moment = Int64(
        bigEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Int64.self))
      guard type < offsets.count, changes.last.map({ $0.moment < moment }) ?? true,
        Zone.moments.contains(moment)
      else { return nil }
      changes.append(Zone.Change(moment: moment, offset: offsets[type]))
    }
    let text = bytes[block.end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    return Zone(
      firstOffset: offsets[0], changes: changes, rule: ZoneRule(String(decoding: text, as: UTF8.self)))
  }
}
