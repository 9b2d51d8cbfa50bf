/// Requests for tests, encoded without the library's encoder.
enum RequestBytes {
  /// 15 bytes.
  static let payload = Array(#"{"aps":{"x":1}}"#.utf8)

  static func token(_ count: Int = 32, fill: UInt8 = 0xaa) -> [UInt8] {
    [UInt8](repeating: fill, count: count)
  }

  static func u16(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }

  static func u32(_ number: Int) -> [UInt8] { u16(number >> 16) + u16(number) }

  static func simple(_ token: [UInt8] = token(), _ payload: [UInt8] = payload) -> [UInt8] {
    [0] + u16(token.count) + token + u16(payload.count) + payload
  }

  static func enhanced(
    _ token: [UInt8] = token(), _ payload: [UInt8] = payload, identifier: Int = 0x0102_0304,
    expiry: Int = 0x5372_4e00
  ) -> [UInt8] {
    [1] + u32(identifier) + u32(expiry) + u16(token.count) + token + u16(payload.count) + payload
  }

  static func item(_ id: UInt8, _ data: [UInt8]) -> [UInt8] { [id] + u16(data.count) + data }

  static func frame(_ items: [UInt8]) -> [UInt8] { [2] + u32(items.count) + items }

  /// A frame of token and payload alone.
  static func framed(_ token: [UInt8] = token(), _ payload: [UInt8] = payload, and more: [UInt8] = [])
    -> [UInt8]
  {
    frame(item(1, token) + item(2, payload) + more)
  }

  /// Bytes that cannot be part of a request.
  static func junk(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xff, count: count) }

  /// One JSON value of `count` bytes, at least 8.
  static func json(_ count: Int) -> [UInt8] {
    Array(#"{"k":""#.utf8) + [UInt8](repeating: 0x61, count: count - 8) + Array(#""}"#.utf8)
  }
}
