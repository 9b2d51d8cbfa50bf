/// A second implementation of docs/spec/decoding-rules.md#error-responses, over a whole run in memory. It shares no code with
/// the library.
struct PlainResponses {
  /// The statuses of docs/spec/protocol.md#error-responses.
  static let known: Set<Int> = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255]

  private let bytes: [UInt8]
  private let n: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    n = bytes.count
  }

  /// Decodes the run, whose first byte is at `offset` of its stream.
  func decode(offset: Int = 0, beginsStream: Bool = true) -> [GatewayEvidence] {
    var evidence: [GatewayEvidence] = []
    var begin = 0
    if !beginsStream {
      begin = firstStart(0) ?? n
      if begin > 0 { evidence.append(.skipped(offset: offset, length: begin)) }
    }
    walk(from: begin) { evidence.append($0.moved(by: offset)) }
    return evidence
  }

  /// "byte 8, a known status, whole, and after it nothing or a byte 8."
  private func start(_ p: Int) -> Bool {
    p + 6 <= n && bytes[p] == 8 && Self.known.contains(Int(bytes[p + 1]))
      && (p + 6 == n || bytes[p + 6] == 8)
  }

  private func firstStart(_ low: Int) -> Int? { (low..<n).first(where: start) }

  private func walk(from begin: Int, _ say: (GatewayEvidence) -> Void) {
    var o = begin
    var skippedBefore = false
    while o < n {
      // "Fewer than 6 left, whatever they are: `truncated-record`."
      if n - o < 6 { return say(.truncated(offset: o, length: n - o)) }
      guard bytes[o] == 8 else {
        // "Any other first byte: a finding `unknown-command` of length 1 and `skipped-bytes` up to the first
        // start(p)."
        let resume = firstStart(o + 1) ?? n
        say(.undecodable(offset: o, command: Int(bytes[o])))
        say(.skipped(offset: o, length: resume - o))
        o = resume
        skippedBefore = true
        continue
      }
      let status = Int(bytes[o + 1])
      let identifier = bytes[o + 2..<o + 6].reduce(0) { $0 * 256 + Int($1) }
      // Sorted: r before u.
      let flags =
        (skippedBefore ? ["resynchronised"] : []) + (Self.known.contains(status) ? [] : ["unknown-status"])
      say(.response(offset: o, status: status, identifier: identifier, flags: flags))
      o += 6
      skippedBefore = false
    }
  }
}
