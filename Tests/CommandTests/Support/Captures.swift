import CaptureWriting
import Testing

/// A tuple as `export` reports it, without what depends on how the capture was made: packet numbers, times
/// and offsets in the file.
struct ReportedTuple: Hashable, Comparable {
  var stream: Int
  var direction: String
  var offset: Int
  var timestamp: Int
  var token: String
  var flags: [String]

  init(_ object: Evidence.Object) throws {
    stream = try #require(object["stream"] as? Int)
    direction = try #require(object["direction"] as? String)
    offset = try #require(object["offset"] as? Int)
    timestamp = try #require(object["timestamp"] as? Int)
    token = try #require(object["token"] as? String)
    flags = try #require(object["flags"] as? [String])
  }

  /// As NDJSON promises: by stream, direction and offset.
  static func < (left: ReportedTuple, right: ReportedTuple) -> Bool {
    (left.stream, left.direction, left.offset) < (right.stream, right.direction, right.offset)
  }
}

/// NDJSON of an export, taken apart.
struct Exported {
  let objects: [Evidence.Object]
  let outcome: Outcome

  var tuples: [ReportedTuple] {
    get throws { try objects("feedback").map { try ReportedTuple($0) }.sorted() }
  }

  var findings: [Evidence.Object] { objects("finding") }
  var codes: [String] { findings.compactMap { $0["code"] as? String } }
  var streams: [Evidence.Object] { objects("stream") }

  func objects(_ type: String) -> [Evidence.Object] { objects.filter { $0["type"] as? String == type } }

  func findings(_ code: String) -> [Evidence.Object] { findings.filter { $0["code"] as? String == code } }
}

extension TestDirectory {
  func export(_ name: String, _ options: String...) throws -> Exported { try export(name, options) }

  func export(_ name: String, _ options: [String]) throws -> Exported {
    let outcome = try apnsift(["export", "-t", "ndjson", name] + options)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }

  func export(_ packets: [CapturedPacket], _ options: String...) throws -> Exported {
    try write(PcapWriter().file(packets), to: "capture.pcap")
    let outcome = try apnsift(["export", "-t", "ndjson", "capture.pcap"] + options)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }

  /// Writes a capture, over Ethernet.
  func writeCapture(_ segments: [Segment], to name: String = "capture.pcap") throws {
    try write(PcapWriter().file(FrameWriter().packets(segments)), to: name)
  }

  /// Writes a capture of Benchmarks/make-capture to `large.pcap`.
  func makeCapture(_ kind: String, _ count: Int) throws {
    _ = try tool("python3", [Repository.path(of: "Benchmarks/make-capture"), kind, "large.pcap", "\(count)"])
  }

  /// Over Ethernet.
  func export(_ segments: [Segment]) throws -> Exported { try export(FrameWriter().packets(segments)) }
}

/// A feedback connection of 300 tuples, some of them odd; and its records, by the output of the command for
/// the same bytes as a plain dump, which knows nothing of packets.
enum FeedbackConversation {
  static let tuples: [Tuple] = {
    var generator = FixedGenerator(seed: 2196)
    return (0..<300).map { number in
      let isOld = number % 50 == 49
      let time = UInt32.random(in: isOld ? 1...9 : 1_262_304_000...1_577_836_799, using: &generator)
      return Tuple(time, token(number, length: number % 70 == 69 ? 54 : 32))
    }
  }()

  static let plain: Conversation = {
    var conversation = Conversation(serverSends: feedback(tuples))
    conversation.segmentSizes = [1000, 38, 1, 370, 1400]
    return conversation
  }()

  static func expected(in directory: TestDirectory) throws -> [ReportedTuple] {
    try directory.write(plain.bytes(of: .server), to: "dump.bin")
    return try directory.export("dump.bin").tuples
  }
}
