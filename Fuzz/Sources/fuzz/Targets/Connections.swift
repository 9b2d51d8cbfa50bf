import Basics
import PacketCapture
import StreamTestSupport
import TLSDecryption

/// TCP connections and TLS.
extension Target {
  static let connections = [
    Target("streams", optionCount: 2, checkStreams),
    Target("tls", optionCount: 2, checkTLS),
  ]

  // MARK: - Streams

  private static func checkStreams(_ sample: Sample) {
    if sample.options[0] & 1 == 0 { checkConversation(sample) } else { checkAnySegments(sample) }
  }

  /// A conversation whose packets come in any order, copied, cut and damaged: the plain reassembly of all that was
  /// captured.
  private static func checkConversation(_ sample: Sample) {
    let plan = SegmentPlan(of: sample)
    let plain = PlainConnection(plan)
    var options = CaptureOptions.small
    options.reorderWindow = 200
    let isForgetful = isForgetful(sample)
    let kept = isForgetful ? nil : Int.max
    let recording = reassemble(plan.script, options: options, kept: kept)
    let wrong = recording.differences(from: plain, stream: 0, plan, comparesCopies: !isForgetful)
    expect(wrong.isEmpty, "streams agree with the plain reassembly: \(wrong)")
    expect(recording.reports.count == 1, "one connection is one stream")
  }

  /// Whether no byte of the file can be read again: of one in four samples.
  private static func isForgetful(_ sample: Sample) -> Bool {
    var generator = sample.generator
    return generator.chance(4)
  }

  /// Segments with any numbers and flags, and small limits: what is delivered comes from the packets, in order.
  private static func checkAnySegments(_ sample: Sample) {
    var options = CaptureOptions.small
    let (first, second) = (sample.options[0], sample.options[1])
    options.reorderWindow = Int(first >> 1 & 7) * 3
    if first & 0x10 != 0 { options.streamBuffer = 1 << Int(second & 7) }
    if first & 0x20 != 0 { options.totalBuffer = 1 << Int(second & 15) }
    if first & 0x40 != 0 { options.maxConnections = 1 + Int(second >> 4 & 3) }
    if first & 0x80 != 0 { options.serverPorts = [2196] }
    let script = ScriptedSegment.any(in: sample.bytes)
    let laws = StreamLaws(content: script.flatMap(\.payload), isRaw: true)
    let playback = play(script, to: laws, options: options, kept: isForgetful(sample) ? nil : .max)
    expect(playback.misuse.isEmpty, "\(playback.misuse)")
    playback.recorder.finish()
  }

  // MARK: - TLS

  /// A text of secrets, with its length in two bytes, then chunks of both sides: one byte with the sender and whether it
  /// is a gap, two bytes with the length.
  private static func checkTLS(_ sample: Sample) {
    let length = Int(sample.options[0]) << 8 | Int(sample.options[1])
    let text = Array(sample.bytes.prefix(length))
    let chunks = tlsChunks(sample.bytes.dropFirst(length))
    var whole: Decrypted?
    for chunking in sample.chunkings() {
      var store = SecretStore()
      let report = readSecrets(text, sample.lengths(chunking), into: &store)
      expect(report.lines <= text.count + 1, "no more lines than characters")
      var limits = DecryptionOptions()
      limits.trialLimit = 1 << 20
      limits.totalTrialLimit = 1 << 22
      limits.sequenceLimit = 64
      let decryption = Decryption(DecryptionContext(store, options: limits))
      let result = decrypt(chunks, by: decryption, sample.lengths(chunking))
      if whole == nil { whole = result }
      // The two directions come in any order.
      let isSame = Side.allCases.allSatisfy { side in
        result.plaintext[side] == whole?.plaintext[side]
          && result.gaps.filter { $0.side == side } == whole?.gaps.filter { $0.side == side }
          && result.failures.filter { $0.side == side } == whole?.failures.filter { $0.side == side }
      }
      expect(
        isSame && result.encryption == whole?.encryption && result.secret == whole?.secret,
        "plaintext does not depend on chunks, in chunks: \(chunking): \(result), not \(whole as Any)")
    }
  }

  private static func readSecrets(
    _ text: [UInt8], _ chunk: () -> Int, into store: inout SecretStore
  ) -> KeyFileReader.Report {
    var reader = KeyFileReader(file: 0)
    var start = 0
    while start < text.count {
      let end = min(text.count, start + chunk())
      reader.append(text.span.bytes.extracting(start..<end), to: &store)
      start = end
    }
    return reader.finish(to: &store)
  }

  private struct TLSChunk {
    var sender: Side
    var bytes: [UInt8]
    /// Above 0, bytes are missing.
    var missing: Int
  }

  private static func tlsChunks(_ bytes: ArraySlice<UInt8>) -> [TLSChunk] {
    var (chunks, rest): ([TLSChunk], ArraySlice<UInt8>) = ([], bytes)
    while rest.count >= 3 {
      let header = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let length = Int(header[1]) << 8 | Int(header[2])
      let isGap = header[0] & 2 != 0
      let sender: Side = header[0] & 1 == 0 ? .client : .server
      chunks.append(
        TLSChunk(sender: sender, bytes: isGap ? [] : Array(rest.prefix(length)), missing: isGap ? length : 0))
      if !isGap { rest = rest.dropFirst(length) }
    }
    return chunks
  }

  private static func decrypt(
    _ chunks: [TLSChunk], by decryption: Decryption, _ length: () -> Int
  ) -> Decrypted {
    for chunk in chunks {
      if chunk.missing > 0 { decryption.gap(chunk.missing, from: chunk.sender) }
      var start = 0
      while start < chunk.bytes.count {
        let end = min(chunk.bytes.count, start + length())
        decryption.append(chunk.bytes[start..<end], from: chunk.sender)
        start = end
      }
    }
    return decryption.finish()
  }
}

extension ScriptedSegment {
  /// Segments with any numbers: eight bytes each, and a payload.
  fileprivate static func any(in bytes: [UInt8]) -> [ScriptedSegment] {
    var (script, rest): ([ScriptedSegment], ArraySlice<UInt8>) = ([], bytes[...])
    while rest.count >= 8 {
      let header = Array(rest.prefix(8))
      rest = rest.dropFirst(8)
      // Mostly near each other, as numbers far away only begin other streams.
      let near = UInt32(header[2]) << 8 | UInt32(header[3])
      let far = UInt32(header[1] & 0x0f) << 28
      let payload = Array(rest.prefix(Int(header[4] & 0x3f)))
      rest = rest.dropFirst(payload.count)
      script.append(
        ScriptedSegment(
          isFromServer: header[0] & 1 != 0, sequence: far &+ near,
          flags: TCPSegment.Flags(rawValue: header[5]),
          payload: payload, missing: header[4] & 0x40 == 0 ? 0 : Int(header[6]),
          clientPort: 40_000 + UInt16(header[0] >> 1 & 3),
          time: header[0] & 0x80 == 0 ? nil : Int(header[7]) * 100))
    }
    return script
  }
}

extension SegmentPlan {
  /// Three bytes for each segment: sender and kind, position, length.
  fileprivate init(of sample: Sample) {
    var generator = sample.generator
    self.init(using: &generator)
    segments = []
    var sent = [0, 0]
    for start in stride(from: 0, to: min(180, sample.bytes.count - 2), by: 3) {
      let (kind, position) = (sample.bytes[start], Int(sample.bytes[start + 1]))
      let length = Int(sample.bytes[start + 2] & 0x0f) + 1
      var segment = Segment(isFromServer: kind & 1 != 0, position: position)
      let payload = (position..<position + length).map {
        UInt8(truncatingIfNeeded: $0 &* 37 &+ Int(kind & 1))
      }
      switch kind >> 1 & 7 {
      case 0: segment = Segment(isFromServer: kind & 1 != 0, flags: kind & 1 == 0 ? .syn : [.syn, .ack])
      case 1: segment.position = min(position, sent[Int(kind & 1)])
      case 2:
        segment.payload = payload
        segment.payload[Int(kind >> 4) % length] ^= 0x80
      case 3:
        segment.missing = Int(kind >> 4) % length + 1
        segment.payload = Array(payload.dropLast(segment.missing))
      default: segment.payload = payload
      }
      sent[Int(kind & 1)] = max(sent[Int(kind & 1)], segment.end)
      segments.append(segment)
    }
    // Where nothing was lost at the end, both directions may have been closed or reset.
    let endings = sample.options[0]
    for side in [0, 1] where endings & UInt8(2 << side) != 0 {
      let fin = Segment(isFromServer: side == 1, position: sent[side], flags: [.fin, .ack])
      segments.insert(fin, at: min(segments.count, Int(sample.options[1])))
    }
    if endings & 8 != 0, let last = segments.last {
      segments.append(Segment(isFromServer: last.isFromServer, position: last.end, flags: .rst))
    }
    if !segments.contains(where: { !$0.isFromServer }) { segments.append(Segment()) }
  }
}
