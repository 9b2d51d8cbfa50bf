import CaptureWriting
import Testing

/// A tuple as `export` reports it, without what depends on how the capture was made: packet numbers, times
/// and offsets in the file.
package struct ReportedTuple: Hashable, Comparable {
  package var stream: Int
  package var direction: String
  package var offset: Int
  package var timestamp: Int
  package var token: String
  package var flags: [String]

  package init(_ object: Evidence.Object) throws {
    stream = try #require(object["stream"] as? Int)
    direction = try #require(object["direction"] as? String)
    offset = try #require(object["offset"] as? Int)
    timestamp = try #require(object["timestamp"] as? Int)
    token = try #require(object["token"] as? String)
    flags = try #require(object["flags"] as? [String])
  }

  /// As NDJSON promises: by stream, direction and offset.
  package static func < (left: ReportedTuple, right: ReportedTuple) -> Bool {
    (left.stream, left.direction, left.offset) < (right.stream, right.direction, right.offset)
  }
}

/// NDJSON of an export, taken apart.
package struct Exported {
  package let objects: [Evidence.Object]
  package let outcome: Outcome

  package init(objects: [Evidence.Object], outcome: Outcome) {
    (self.objects, self.outcome) = (objects, outcome)
  }

  package var tuples: [ReportedTuple] {
    get throws { try objects("feedback").map { try ReportedTuple($0) }.sorted() }
  }

  package var findings: [Evidence.Object] { objects("finding") }
  package var codes: [String] { findings.compactMap { $0["code"] as? String } }
  package var streams: [Evidence.Object] { objects("stream") }
  package var summary: Evidence.Object { objects("summary").first ?? [:] }

  package func objects(_ type: String) -> [Evidence.Object] {
    objects.filter { $0["type"] as? String == type }
  }

  package func findings(_ code: String) -> [Evidence.Object] {
    findings.filter { $0["code"] as? String == code }
  }
}

extension TestDirectory {
  package func export(_ words: String..., input: StandardInput = .nothing) throws -> Exported {
    try export(words, input: input)
  }

  package func export(_ name: String, _ options: [String]) throws -> Exported { try export([name] + options) }

  /// Exports as NDJSON what `words` name.
  package func export(_ words: [String], input: StandardInput = .nothing) throws -> Exported {
    let outcome = try apnsift(["export", "-t", "ndjson"] + words, input: input)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }

  package func export(_ packets: [CapturedPacket], _ options: String...) throws -> Exported {
    try write(PcapWriter().file(packets), to: "capture.pcap")
    return try export(["capture.pcap"] + options)
  }

  /// Writes a capture, over Ethernet.
  package func writeCapture(_ segments: [Segment], to name: String = "capture.pcap") throws {
    try write(PcapWriter().file(FrameWriter().packets(segments)), to: name)
  }

  /// Writes a capture of Benchmarks/make-capture to `large.pcap`.
  package func makeCapture(_ kind: String, _ count: Int) throws {
    _ = try tool("python3", [Repository.path(of: "Benchmarks/make-capture"), kind, "large.pcap", "\(count)"])
  }

  /// Over Ethernet.
  package func export(_ segments: [Segment]) throws -> Exported {
    try export(FrameWriter().packets(segments))
  }
}

/// A feedback connection of 300 tuples, some of them odd.
package enum FeedbackConversation {
  package static let tuples: [Tuple] = {
    var generator = FixedGenerator(seed: 2196)
    return (0..<300).map { number in
      let isOld = number % 50 == 49
      let time = UInt32.random(in: isOld ? 1...9 : 1_262_304_000...1_577_836_799, using: &generator)
      return Tuple(time, token(number, length: number % 70 == 69 ? 54 : 32))
    }
  }()

  package static let plain = Conversation(serverSends: feedback(tuples), in: [1000, 38, 1, 370, 1400])
}
