import Basics
import PacketCapture
import StreamInputs
import TestSupport

/// A decoder's output for a text, byte by byte, regardless of its extents.
struct Decoding: Equatable {
  enum Event: Equatable {
    case byte(UInt8, at: Int)
    case gap(Int, at: Int)
    case error(InputError)
  }

  var events: [Event] = []

  var bytes: [UInt8] {
    events.compactMap { if case .byte(let byte, _) = $0 { byte } else { nil } }
  }
  var positions: [Int] {
    events.compactMap { if case .byte(_, let position) = $0 { position } else { nil } }
  }
  var gaps: [Int] {
    events.compactMap { if case .gap(let length, _) = $0 { length } else { nil } }
  }
  var errors: [InputError] {
    events.compactMap { if case .error(let error) = $0 { error } else { nil } }
  }
  /// Line and column of each error.
  var errorPlaces: [String] { errors.map { "\($0.line ?? 0):\($0.column ?? 0)" } }

  /// Bytes as hex, gaps as `<length>`, errors as `!line:column`, in their order.
  var summary: String {
    events.map { event in
      switch event {
      case .byte(let byte, _): Hex.string([byte])
      case .gap(let length, _): "<\(length)>"
      case .error(let error): "!\(error.line ?? 0):\(error.column ?? 0)"
      }
    }.joined()
  }

  mutating func take(_ output: inout DecodedText) {
    var index = 0
    for part in output.parts {
      switch part {
      case .bytes(let range):
        precondition(range.lowerBound == index, "the parts must account for all bytes")
        for index in range {
          let origin = output.origins[output.origins.index(of: index)]
          events.append(.byte(output.bytes[index], at: origin.fileOffset(of: index)))
        }
        index = range.upperBound
      case .gap(let length, let fileOffset): events.append(.gap(length, at: fileOffset))
      case .error(let error): events.append(.error(error))
      case .mark: preconditionFailure("dumps have no marks")
      }
    }
    precondition(index == output.bytes.count, "the parts must account for all bytes")
    output.removeAll()
  }
}

extension DecodedText {
  /// The extents of its bytes, as `count@offset stride/groupSize/groupStride`.
  var extents: [String] {
    let ends = origins.dropFirst().map(\.streamOffset) + [bytes.count]
    return zip(origins, ends).map { origin, end in
      let spacing = origin.spacing
      return "\(end - origin.streamOffset)@\(origin.fileOffset) "
        + "\(spacing.stride)/\(spacing.groupSize)/\(spacing.groupStride)"
    }
  }
}

/// The text formats, each with a decoder that has read nothing.
enum TextFormat: String, CaseIterable, Decodable, Sendable {
  case hex, base64, xxd, hexdump

  /// - Parameter head: the beginning of the text.
  func decoder(of head: [UInt8] = [], maxExpansion: Int = 1 << 30) -> any TextDecoder {
    let head = TextHead(head, isWhole: head.count < 1 << 10)
    switch self {
    case .hex: return DigitReader(hex: head)
    case .base64: return DigitReader(base64: head)
    case .xxd:
      let found = OffsetLayout(of: head)
      let base = found?.kind == .xxd ? found?.base ?? .hexadecimal : .hexadecimal
      return OffsetLayout(.xxd, base: base).decoder(maxExpansion: maxExpansion)
    case .hexdump: return OffsetLayout(.hexdump).decoder(maxExpansion: maxExpansion)
    }
  }

  /// The result of the probes for `head`, tried in the documented order.
  static func recognised(_ head: [UInt8], isWhole: Bool = true) -> TextFormat? {
    let head = TextHead(head, isWhole: isWhole)
    switch OffsetLayout(of: head)?.kind {
    case .xxd: return .xxd
    case .hexdump: return .hexdump
    case .other, nil: break
    }
    return head.isHex ? .hex : head.isBase64 ? .base64 : nil
  }

  /// Decodes `text`, cut into blocks of the sizes that `blockSize` gives.
  func decode(
    _ text: [UInt8], maxExpansion: Int = 1 << 30, blockSize: () -> Int = { 1 << 20 }
  ) -> Decoding {
    var decoder = decoder(of: Array(text.prefix(1 << 10)), maxExpansion: maxExpansion)
    var output = DecodedText()
    var result = Decoding()
    var start = 0
    while start < text.count {
      let block = Array(text[start..<min(text.count, start + max(1, blockSize()))])
      var index = 0
      while index < block.count {
        index = decoder.read(block.span.bytes, from: index, into: &output)
        result.take(&output)
      }
      start += block.count
    }
    while !decoder.finish(into: &output) { result.take(&output) }
    result.take(&output)
    return result
  }

  func decode(_ text: String, maxExpansion: Int = 1 << 30) -> Decoding {
    decode(Array(text.utf8), maxExpansion: maxExpansion)
  }
}

/// Bytes that are hard on a dump: noise, every byte value, ASCII, blanks, long runs of zeros.
func dumpedBytes() -> [UInt8] {
  var generator = SeededGenerator(seed: 1)
  var bytes = generator.bytes(1000)
  bytes += Array(0...255)
  bytes += Array("plain text | with bars, * stars and    blanks at ends    ".utf8)
  bytes += [UInt8](repeating: 0, count: 4096)
  bytes += generator.bytes(40)
  bytes += [UInt8](repeating: 0x20, count: 333)
  bytes += [UInt8](repeating: 0xff, count: 177)
  return bytes + generator.bytes(Int.random(in: 0..<64, using: &generator))
}
