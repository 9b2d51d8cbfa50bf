/// The result of decoding a run, in the order of its bytes. Offsets are in bytes from 0, in the stream.
enum Evidence: Equatable, CustomStringConvertible {
  case record(offset: Int, time: Int, token: [UInt8], flags: [String])
  case skipped(offset: Int, length: Int)
  case truncated(offset: Int, length: Int)
  case between(offset: Int, length: Int)

  /// The notation of the test cases: `record 38 resynchronised`, `skipped 0+5`, `truncated 76+20`.
  var description: String {
    switch self {
    case .record(let offset, _, _, let flags): (["record \(offset)"] + flags).joined(separator: " ")
    case .skipped(let offset, let length): "skipped \(offset)+\(length)"
    case .truncated(let offset, let length): "truncated \(offset)+\(length)"
    case .between(let offset, let length): "between \(offset)+\(length)"
    }
  }
}

extension [Evidence] {
  var text: String { map(\.description).joined(separator: ", ") }
}
