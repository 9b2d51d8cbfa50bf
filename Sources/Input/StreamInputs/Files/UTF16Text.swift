import Basics
import PacketCapture

/// Text in UTF-16 (RFC 2781), as PowerShell's `>` writes it. Its readers get it in UTF-8, without a byte order mark, and their
/// offsets are those of the UTF-8.
package struct UTF16Text {
  /// As `InputReport.compression` names it.
  package static let name = "utf-16"
  /// Bytes from which text without a byte order mark is recognised.
  static let headLength = 512
  private static let blockLength = 32 << 10

  private let isBigEndian: Bool
  /// Bytes that are yet to be decoded.
  private var rest: [UInt8]
  /// Decoded bytes that are yet to be read.
  private var decoded: ArraySlice<UInt8> = []
  private var decodedLength = 0
  /// The first character that is no UTF-16, which became U+FFFD.
  private(set) var error: InputError?

  /// - Parameter head: the file's first bytes, at least `headLength` of a longer file.
  /// - Returns: nil if it is no such text: mostly ASCII or, after a byte order mark, some of it.
  init?(head: [UInt8]) {
    let bytes = head.prefix(Self.headLength)
    let isMarked = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    let zeros = [0, 1].map { parity in bytes.enumerated().count { $0.element == 0 && $0.offset % 2 == parity }
    }
    guard zeros.contains(0),
      zeros.contains(where: { $0 > 8 && $0 &* (isMarked ? 16 : 1) > bytes.count / 8 * 3 }),
      isMarked || bytes.allSatisfy({ $0 == 0 || $0 >= 9 })
    else { return nil }
    isBigEndian = zeros[0] > 0
    rest = Array(head.dropFirst(isMarked ? 2 : 0))
  }

  /// Reads the next bytes of UTF-8; none at the end.
  /// - Parameter source: reads bytes of the file.
  mutating func read(
    into target: UnsafeMutableRawBufferPointer, from source: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    while decoded.isEmpty {
      let before = rest.count
      rest += [UInt8](repeating: 0, count: Self.blockLength)
      let count = rest.withUnsafeMutableBytes {
        source(UnsafeMutableRawBufferPointer(rebasing: $0[before...]))
      }
      rest.removeLast(Self.blockLength - count)
      if rest.isEmpty { return 0 }
      decode(isEnd: count == 0)
    }
    let count = min(decoded.count, target.count)
    target.copyBytes(from: decoded.prefix(count))
    decoded = decoded.dropFirst(count)
    return count
  }

  /// Decodes the rest, up to half of a character.
  private mutating func decode(isEnd: Bool) {
    // A byte without its other half is no character.
    if isEnd, rest.count % 2 == 1 {
      rest.removeLast()
      rest += isBigEndian ? [0xdc, 0] : [0, 0xdc]
    }
    var units = stride(from: 0, to: rest.count - 1, by: 2).map { index in
      let pair = (UInt16(rest[index]), UInt16(rest[index + 1]))
      return isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
    if !isEnd, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    rest.removeFirst(2 * units.count)
    let text = String(decoding: units, as: UTF16.self)
    let replaced = text.unicodeScalars.count { $0 == "\u{fffd}" }
    if error == nil, replaced > units.count(where: { $0 == 0xfffd }) {
      error = InputError(
        "begins as UTF-16 text and has other bytes near here: use --from raw to read it as it is stored",
        fileOffset: decodedLength)
    }
    decoded = Array(text.utf8)[...]
    decodedLength &+= decoded.count
  }
}
