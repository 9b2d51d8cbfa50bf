/// The header fields of pushes and their responses.
enum HeaderName: String, Sendable {
  case authority = ":authority"
  case method = ":method"
  case path = ":path"
  case scheme = ":scheme"
  case status = ":status"
  case topic = "apns-topic"
  case pushType = "apns-push-type"
  case id = "apns-id"
  case uniqueID = "apns-unique-id"
  case priority = "apns-priority"
  case expiration = "apns-expiration"
  case collapseID = "apns-collapse-id"
}

struct HeaderField {
  var name: HeaderName
  var value: String
  /// Whether it enters the dynamic table, so that later blocks can refer to it.
  var isIndexed: Bool

  /// RFC 7541, section 4.1.
  fileprivate var size: Int { name.rawValue.utf8.count + value.utf8.count + 32 }
}

/// Encodes the header blocks of one direction (RFC 7541), without Huffman codes. Later blocks refer to the
/// dynamic table entries of earlier ones.
struct HeaderEncoder {
  /// The initial table size in bytes (RFC 9113, section 6.5.2).
  static let standardSize = 4096

  /// The oldest entry is the first.
  private var entries: [HeaderField] = []
  private var size = 0
  /// The maximum table size in bytes, at most `standardSize`.
  let limit: Int
  /// Whether the next block must begin with a table size update (RFC 7541, section 4.2).
  private var mustAnnounceSize: Bool

  init(limit: Int) {
    self.limit = limit
    mustAnnounceSize = limit < Self.standardSize
  }

  mutating func block(_ fields: [HeaderField]) -> [UInt8] {
    var block: [UInt8] = []
    if mustAnnounceSize { append(limit, prefix: 5, pattern: 0x20, to: &block) }
    mustAnnounceSize = false
    for field in fields { append(field, to: &block) }
    return block
  }

  private mutating func append(_ field: HeaderField, to block: inout [UInt8]) {
    if let index = index(where: { $0 == field.name && $1 == field.value }) {
      return append(index, prefix: 7, pattern: 0x80, to: &block)
    }
    let name = index { name, _ in name == field.name }
    append(name ?? 0, prefix: field.isIndexed ? 6 : 4, pattern: field.isIndexed ? 0x40 : 0, to: &block)
    if name == nil { append(text: field.name.rawValue.utf8, to: &block) }
    append(text: field.value.utf8, to: &block)
    if field.isIndexed { insert(field) }
  }

  /// Appends an integer with a prefix (RFC 7541, section 5.1). `pattern` has the bits before the prefix.
  private func append(_ value: Int, prefix: Int, pattern: UInt8, to block: inout [UInt8]) {
    let most = 1 << prefix - 1
    guard value >= most else { return block.append(pattern | UInt8(truncatingIfNeeded: value)) }
    block.append(pattern | UInt8(truncatingIfNeeded: most))
    var rest = value - most
    while rest >= 128 {
      block.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    block.append(UInt8(truncatingIfNeeded: rest))
  }

  private func append(text: some Collection<UInt8>, to block: inout [UInt8]) {
    append(text.count, prefix: 7, pattern: 0, to: &block)
    block.append(contentsOf: text)
  }

  // MARK: - Tables

  /// The entries of the static table (RFC 7541, appendix A) that pushes have; of a name, the first represents it.
  private static let staticEntries: [(index: Int, name: HeaderName, value: String)] = [
    (1, .authority, ""), (2, .method, "GET"), (3, .method, "POST"), (4, .path, "/"), (6, .scheme, "http"),
    (8, .status, "200"), (12, .status, "400"), (14, .status, "500"),
  ]
  /// The number of all entries in the static table: the newest dynamic entry has the next index.
  private static let staticCount = 61

  private func index(where matches: (HeaderName, _ value: String) -> Bool) -> Int? {
    Self.staticEntries.first { matches($0.name, $0.value) }?.index
      ?? entries.lastIndex { matches($0.name, $0.value) }.map { Self.staticCount + entries.count - $0 }
  }

  /// Evicts old entries (RFC 7541, section 4.4). An entry larger than the table empties it.
  private mutating func insert(_ field: HeaderField) {
    entries.append(field)
    size += field.size
    while size > limit, !entries.isEmpty { size -= entries.removeFirst().size }
  }
}

/// Frames of HTTP/2 (RFC 9113, section 4.1).
enum HTTP2Frame {
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case reset = 3
    case settings = 4
    case ping = 6
    case goaway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  enum Flag {
    /// In SETTINGS and PING.
    static let ack: UInt8 = 0x01
    static let endStream: UInt8 = 0x01
    static let endHeaders: UInt8 = 0x04
    static let padded: UInt8 = 0x08
    static let priority: UInt8 = 0x20
  }

  /// RFC 9113, section 3.4.
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func bytes(
    _ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: some Collection<UInt8>
  ) -> [UInt8] {
    let length = bigEndian(UInt32(truncatingIfNeeded: payload.count)).dropFirst()
    return Array(length) + [kind.rawValue, flags] + bigEndian(stream) + payload
  }
}
