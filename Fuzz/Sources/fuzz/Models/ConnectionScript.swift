import PacketCapture
import TestSupport

/// The bytes of both sides of an HTTP/2 connection, in the order of a capture: frames that fit the state of their streams,
/// and what spoils a connection. It knows all that a sound connection says.
struct ConnectionScript {
  enum Item {
    case bytes([UInt8])
    case gap(Int)
  }

  /// What a stream of the client says.
  struct Exchange {
    var id: UInt32
    var token: String
    var status: UInt16?
    fileprivate var isRequestOpen = true
    fileprivate var isResponseOpen = true

    fileprivate var isOpen: Bool { isRequestOpen || isResponseOpen }
  }

  private(set) var items: [(side: Side, item: Item)] = []
  private(set) var exchanges: [Exchange] = []
  /// Whether all frames came, and fit the state of their streams; and whether bytes are wrong.
  private(set) var isSound = true
  private(set) var isDamaged = false
  private var nextID: UInt32 = 1
  /// The dynamic table of each encoder, the newest entry first (RFC 7541, section 2.3.2).
  private var tables: [[(name: String, value: String)]] = [[], []]
  private var hasEnded = [false, false]

  /// - Parameter beginning: how the connection begins.
  init(_ bytes: [UInt8], beginning: UInt8) {
    begin(beginning)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) { add(bytes[index], bytes[index + 1]) }
  }

  private mutating func begin(_ how: UInt8) {
    if how & 1 != 0 {
      send("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n".utf8, .first)
      send("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8, .second)
      nextID = 3
    }
    if how & 6 != 0 { isSound = false }
    if how & 2 == 0 { send(HTTP2Bytes.preface + HTTP2Bytes.settings, .first) }
    if how & 4 == 0 { send(HTTP2Bytes.settings, .second) }
  }

  private mutating func send(_ bytes: some Sequence<UInt8>, _ side: Side) {
    if !hasEnded[Int(side.rawValue)] { items.append((side, .bytes(Array(bytes)))) }
  }

  private mutating func send(
    _ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8], _ side: Side
  ) { send(HTTP2Bytes.frame(type, flags, stream: stream, payload), side) }

  // MARK: - Operations

  private mutating func add(_ operation: UInt8, _ choice: UInt8) {
    let side: Side = operation & 0x10 == 0 ? .first : .second
    let isKept = operation & 0x20 != 0
    switch operation & 0x0f {
    case 0, 1, 2: request(choice, isKept)
    case 3: requestData(choice)
    case 4, 5: response(choice, isKept)
    case 6: responseData(choice)
    case 7: reset(choice, side)
    case 8: other(choice, side)
    case 9: lose(Int(choice & 0x3f), side)
    case 10: if choice & 0x80 == 0 { swapLast() } else { gap(1 + Int(choice & 0x3f), side) }
    case 11: damage(choice, side)
    case 12: if choice & 0xc0 == 0 { end(side) }
    case 13: stray(choice, side)
    case 14:
      // Frames of types without a meaning do not show that a side is HTTP/2 (docs/spec/pushes.md).
      isSound = false
      send(0x0c + (choice & 0x70), choice, UInt32(choice & 7), [choice, choice], side)
    default: swapLast()
    }
  }

  private mutating func request(_ choice: UInt8, _ isKept: Bool) {
    let token = String(repeating: TestHex.text([0xa0 + (choice & 3)]), count: 32)
    let fields = [(":method", "POST"), (":path", "/3/device/" + token), ("apns-topic", "com.example.app")]
    let endsStream = choice & 4 != 0
    exchanges.append(Exchange(id: nextID, token: token, isRequestOpen: !endsStream))
    var block = fields.flatMap { field($0.0, $0.1, isKept, .first) }
    var flags: UInt8 = endsStream ? 1 : 0
    if choice & 8 != 0 {
      block = [0, 0, 0, 0, 16] + block
      flags |= 0x20
    }
    if choice & 0x10 != 0 {
      block = [3] + block + [0, 0, 0]
      flags |= 0x08
    }
    // A block in two frames, between which none of the side comes. Padding is of its frame.
    if choice & 0x20 != 0, flags & 0x08 == 0 {
      let middle = max(block.count / 2, flags & 0x20 == 0 ? 1 : 5)
      let first = HTTP2Bytes.frame(1, flags, stream: nextID, Array(block[..<middle]))
      send(first + HTTP2Bytes.frame(9, 4, stream: nextID, Array(block[middle...])), .first)
    } else {
      send(1, flags | 4, nextID, block, .first)
    }
    nextID += 2
  }

  /// The chosen one of the exchanges for which something is true; nil if there is none.
  private func index(_ choice: UInt8, where isMeant: (Exchange) -> Bool) -> Int? {
    let found = exchanges.indices.filter { isMeant(exchanges[$0]) }
    return found.isEmpty ? nil : found[Int(choice >> 4) % found.count]
  }

  private mutating func requestData(_ choice: UInt8) {
    guard let index = index(choice, where: \.isRequestOpen) else { return }
    if choice & 1 != 0 { exchanges[index].isRequestOpen = false }
    send(0, choice & 1, exchanges[index].id, Array("{}".utf8), .first)
  }

  private static let statuses: [UInt16] = [200, 410, 400, 103, 200, 429, 503, 100]

  private mutating func response(_ choice: UInt8, _ isKept: Bool) {
    guard let index = index(choice, where: { $0.isResponseOpen && $0.status == nil }) else { return }
    let status = Self.statuses[Int(choice & 7)]
    let isFinal = status >= 200
    let endsStream = isFinal && choice & 8 != 0
    if isFinal { exchanges[index].status = status }
    if endsStream { exchanges[index].isResponseOpen = false }
    let block = field(":status", "\(status)", isKept, .second) + field("apns-id", "4711", isKept, .second)
    send(1, endsStream ? 5 : 4, exchanges[index].id, block, .second)
  }

  private mutating func responseData(_ choice: UInt8) {
    guard let index = index(choice, where: { $0.isResponseOpen && $0.status != nil }) else { return }
    if choice & 1 != 0 { exchanges[index].isResponseOpen = false }
    // Empty DATA that ends no stream does not show that a side is HTTP/2 (docs/spec/pushes.md).
    let body = choice & 3 != 3 ? "{\"reason\":\"Unregistered\",\"timestamp\":1400000000000}" : ""
    send(0, choice & 1, exchanges[index].id, Array(body.utf8), .second)
  }

  private mutating func reset(_ choice: UInt8, _ side: Side) {
    guard let index = index(choice, where: \.isOpen) else { return }
    (exchanges[index].isRequestOpen, exchanges[index].isResponseOpen) = (false, false)
    send(3, 0, exchanges[index].id, HTTP2Bytes.bytes(UInt32(choice & 15)), side)
  }

  private mutating func other(_ choice: UInt8, _ side: Side) {
    switch choice & 7 {
    case 0: send(HTTP2Bytes.settings, side)
    case 1: send(6, choice >> 7, 0, [UInt8](repeating: 0, count: 8), side)
    case 2: send(8, 0, UInt32(choice >> 6), [0, 0, 1, 0], side)
    case 3: send(2, 0, 1 + UInt32(choice >> 6), [0, 0, 0, 0, 16], side)
    default:
      let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
      send(7, 0, 0, HTTP2Bytes.bytes(UInt32(choice >> 3)) + HTTP2Bytes.bytes(0) + reason, .second)
    }
  }

  // MARK: - What spoils a connection

  private func last(_ side: Side) -> Int? { items.lastIndex { $0.side == side } }

  /// The end of the last frame is missing.
  private mutating func lose(_ count: Int, _ side: Side) {
    guard let last = last(side), case .bytes(let bytes) = items[last].item else { return }
    let lost = min(count, bytes.count)
    guard lost > 0 else { return }
    isSound = false
    if lost == bytes.count { items.remove(at: last) } else { items[last].item = .bytes(bytes.dropLast(lost)) }
    items.append((side, .gap(lost)))
  }

  private mutating func gap(_ count: Int, _ side: Side) {
    if hasEnded[Int(side.rawValue)] { return }
    isSound = false
    items.append((side, .gap(count)))
  }

  /// Packets of the two sides may come in another order than they were sent.
  private mutating func swapLast() {
    guard items.count > 1, items[items.count - 1].side != items[items.count - 2].side else { return }
    items.swapAt(items.count - 1, items.count - 2)
  }

  private mutating func damage(_ choice: UInt8, _ side: Side) {
    guard let last = last(side), case .bytes(var bytes) = items[last].item else { return }
    (isSound, isDamaged) = (false, true)
    bytes[Int(choice) % bytes.count] ^= 1 << (choice >> 5)
    items[last].item = .bytes(bytes)
  }

  /// The capture has no more of a side.
  private mutating func end(_ side: Side) {
    isSound = false
    hasEnded[Int(side.rawValue)] = true
  }

  /// A frame that does not fit the state of its stream.
  private mutating func stray(_ choice: UInt8, _ side: Side) {
    isSound = false
    let stream = UInt32(choice >> 5)
    switch choice & 7 {
    case 0, 1: send(0, choice >> 4 & 1, stream | 1, Array("{}".utf8), side)
    case 2: send(1, 4 | choice >> 4 & 1, stream | 1, field(":status", "410", false, side), side)
    case 3: send(1, choice >> 4 & 1, stream | 1, field(":path", "/3/device/ab", false, side), side)
    case 4: send(9, choice >> 2 & 4, stream | 1, [0x84], side)
    case 5: send(5, 4, stream | 1, [0, 0, 0, 2, 0x84], side)
    case 6: send(3, 0, stream | 1, [0, 0, 0, 7], side)
    default: send(1, 5, stream | 1, [0x80 | (62 + choice & 3)], side)
    }
  }

  // MARK: - Header fields

  /// A field as a literal, which the table gets if it is kept, or by its index there (RFC 7541, section 6).
  private mutating func field(_ name: String, _ value: String, _ isKept: Bool, _ side: Side) -> [UInt8] {
    let number = Int(side.rawValue)
    if isKept, let index = tables[number].firstIndex(where: { $0 == (name, value) }), index < 64 {
      return [0x80 | UInt8(62 + index)]
    }
    let literal = [UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    guard isKept else { return [0] + literal }
    tables[number].insert((name, value), at: 0)
    while tables[number].reduce(0, { $0 + 32 + $1.name.utf8.count + $1.value.utf8.count }) > 4096 {
      tables[number].removeLast()
    }
    return [0x40] + literal
  }
}
