import Generator
import Testing

/// Generated pushes, with a reader of packets, frames and header blocks that shares no code with the generator.
@Suite("Generated pushes")
struct PushGenerationTests {
  private func generate(
    _ kind: Generator.Kind = .pushes, _ change: (inout Scenario) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], truth: [Substring]) {
    var scenario = Scenario()
    scenario.seed = 5
    scenario.tuples = 300
    scenario.capture.connections = 6
    scenario.capture.link = .raw
    change(&scenario)
    let (file, truth) = (GeneratorTupleTests.Collected(), GeneratorTupleTests.Collected())
    _ = try Generator.generate(kind, scenario, source: "generated", to: file, truth: truth)
    return (file.bytes, String(decoding: truth.bytes, as: UTF8.self).split(separator: "\n"))
  }

  /// The text of a member, without quotes; nil if it is null.
  private func member(_ name: String, _ line: Substring) -> String? {
    let value = line.split(separator: "\"\(name)\":", maxSplits: 1).last ?? ""
    let text = value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value.prefix { $0 != "," }
    return text == "null" ? nil : String(text)
  }

  private func type(_ line: Substring) -> String { member("type", line) ?? "" }

  // MARK: - Captures

  /// What the frames of a capture say of one push.
  private struct Exchange: Equatable {
    var request: [String: String] = [:]
    var payload: [UInt8] = []
    var requestOffset = 0
    var response: [String: String]?
    var body: [UInt8] = []
    var responseOffset = 0
    var isReset = false
  }

  /// The bytes of each side of each connection, by client port: of a little-endian pcap file with IPv4 packets, none
  /// of which is lost.
  private func sides(_ file: [UInt8]) -> [Int: (client: [UInt8], server: [UInt8])] {
    var sides: [Int: (client: [UInt8], server: [UInt8])] = [:]
    var index = 24
    while index + 16 <= file.count {
      let length = (0..<4).reduce(0) { $0 | Int(file[index + 8 + $1]) << (8 * $1) }
      let packet = Array(file[(index + 16)...].prefix(length))
      func port(_ index: Int) -> Int { Int(packet[index]) << 8 | Int(packet[index + 1]) }
      let payload = packet.dropFirst(20 + Int(packet[32] >> 4) * 4)
      if port(20) == 2197 {
        sides[port(22), default: ([], [])].server += payload
      } else {
        sides[port(20), default: ([], [])].client += payload
      }
      index += 16 + length
    }
    return sides
  }

  /// Reads all frames of one side (RFC 9113, section 4.1).
  private func read(_ bytes: [UInt8], isServer: Bool, into exchanges: inout [Int: Exchange]) throws {
    var table = Table()
    var index = isServer ? 0 : 24
    var block: [UInt8] = []
    var blockStart = 0
    if !isServer { #expect(bytes.prefix(24).elementsEqual("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)) }
    while index < bytes.count {
      let length = bytes[index..<index + 3].reduce(0) { $0 << 8 | Int($1) }
      let (type, flags) = (bytes[index + 3], bytes[index + 4])
      let stream = bytes[index + 5..<index + 9].reduce(0) { $0 << 8 | Int($1) }
      var payload = bytes[(index + 9)...].prefix(length)
      if type <= 1, flags & 8 != 0 { payload = payload.dropFirst().dropLast(Int(payload.first ?? 0)) }
      if type == 1, flags & 0x20 != 0 { payload = payload.dropFirst(5) }
      switch type {
      case 0 where isServer: exchanges[stream]?.body += payload
      case 0: exchanges[stream]?.payload += payload
      case 1, 9:
        if type == 1 { (block, blockStart) = ([], index) }
        block += payload
        guard flags & 4 != 0 else { break }
        let fields = try table.read(block)
        if isServer {
          exchanges[stream]?.response = fields
          exchanges[stream]?.responseOffset = blockStart
        } else {
          exchanges[stream] = Exchange(request: fields, requestOffset: blockStart)
        }
      case 3: exchanges[stream]?.isReset = true
      case 7:
        let last = payload.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        for excluded in exchanges.keys where excluded > last {
          exchanges[excluded]?.body = Array(payload.dropFirst(8))
        }
      default: #expect([4, 6, 8].contains(type))
      }
      index += 9 + length
    }
    #expect(index == bytes.count)
  }

  /// The tables of HPACK (RFC 7541), without Huffman codes.
  private struct Table {
    struct Unreadable: Error {}

    static let known = [
      1: (":authority", ""), 2: (":method", "GET"), 3: (":method", "POST"), 4: (":path", "/"),
      6: (":scheme", "http"), 8: (":status", "200"), 12: (":status", "400"), 14: (":status", "500"),
    ]
    var entries: [(String, String)] = []
    var limit = 4096

    mutating func read(_ block: [UInt8]) throws -> [String: String] {
      var fields: [String: String] = [:]
      var index = 0
      func number(_ bits: Int) -> Int {
        var value = Int(block[index]) & (1 << bits - 1)
        index += 1
        guard value == 1 << bits - 1 else { return value }
        var shift = 0
        while true {
          value += Int(block[index] & 0x7f) << shift
          index += 1
          if block[index - 1] & 0x80 == 0 { return value }
          shift += 7
        }
      }
      func text() throws -> String {
        if block[index] & 0x80 != 0 { throw Unreadable() }
        let count = number(7)
        index += count
        return String(decoding: block[index - count..<index], as: UTF8.self)
      }
      func entry(_ number: Int) throws -> (String, String) {
        if let entry = Self.known[number] { return entry }
        guard entries.indices.contains(number - 62) else { throw Unreadable() }
        return entries[number - 62]
      }
      while index < block.count {
        let first = block[index]
        if first & 0x80 != 0 {
          let field = try entry(number(7))
          fields[field.0] = field.1
        } else if first & 0xe0 == 0x20 {
          limit = number(5)
        } else {
          let isIndexed = first & 0x40 != 0
          let name = number(isIndexed ? 6 : 4)
          let field = (name == 0 ? try text() : try entry(name).0, try text())
          fields[field.0] = field.1
          if isIndexed { entries.insert(field, at: 0) }
        }
        while entries.reduce(0, { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }) > limit {
          entries.removeLast()
        }
      }
      return fields
    }
  }

  private func exchanges(_ file: [UInt8]) throws -> [[Int: Exchange]] {
    try sides(file).sorted { $0.key < $1.key }.map { _, sides in
      var exchanges: [Int: Exchange] = [:]
      try read(sides.client, isServer: false, into: &exchanges)
      try read(sides.server, isServer: true, into: &exchanges)
      return exchanges
    }
  }

  /// The truth's fields of an exchange that the frames show.
  private func described(_ exchange: Exchange) -> [String?] {
    let request = exchange.request
    let body = Substring(String(decoding: exchange.body, as: UTF8.self))
    let isAnswered = exchange.response != nil
    return [
      request[":path"]?.split(separator: "/").last.map { $0.lowercased() }, request["apns-topic"],
      request["apns-push-type"], (exchange.response ?? request)["apns-id"], request["apns-priority"],
      request["apns-expiration"], request["apns-collapse-id"], String(exchange.payload.count),
      exchange.response?[":status"], body.isEmpty ? nil : member("reason", body),
      body.contains("timestamp") ? member("timestamp", body).map { String($0.dropLast()) } : nil,
      String(exchange.requestOffset),
      String(isAnswered ? exchange.responseOffset : exchange.requestOffset), isAnswered ? "server" : "client",
    ]
  }

  @Test("the frames of a capture have the pushes of the truth", arguments: [1, 2, 3, 4])
  func frames(_ seed: UInt64) throws {
    let (file, truth) = try generate {
      $0.seed = seed
      $0.capture.segmentSizes = 40...900
      $0.capture.resets = 300
      $0.pushes.goaways = 300
      $0.pushes.streamResets = 50
    }
    let found = try exchanges(file).flatMap { connection in
      connection.sorted { $0.key < $1.key }.map { [String($0.key)] + described($0.value) }
    }
    let pushes = truth.filter { type($0) == "push" }
    let expected = pushes.map { line in
      ["http2_stream", "token", "topic", "push_type", "apns_id", "priority", "expiration", "collapse_id"].map
      {
        member($0, line)
      }
        + [
          "payload_length", "status", "reason", "timestamp_ms", "request_offset", "offset", "direction",
        ].map { member($0, line) }
    }
    func text(_ row: [String?]) -> String { row.map { $0 ?? "-" }.joined(separator: " ") }
    #expect(pushes.count == 300)
    #expect(found.map(text).sorted() == expected.map(text).sorted())
    #expect(truth.count { type($0) == "stream" } == 6)
  }

  @Test("the outcomes have about the rates asked for")
  func rates() throws {
    let truth = try generate(.pushLog) {
      $0.tuples = 10_000
      $0.pushes.invalidated = 300
      $0.pushes.badTokens = 100
      $0.pushes.throttled = 50
      $0.pushes.otherErrors = 0
      $0.pushes.streamResets = 0
    }.truth
    func count(_ status: String) -> Int { truth.count { member("status", $0) == status } }
    #expect((2850...3150).contains(count("410")))
    // Of the rest.
    #expect((620...780).contains(count("400")) && (250...380).contains(count("429")))
    #expect(count("200") + count("410") + count("400") + count("429") == 10_000)
  }

  @Test("a connection that ends with a GOAWAY or a RST leaves pushes without an answer")
  func endings() throws {
    let goaways = try generate { $0.pushes.goaways = 1000 }.truth
    let excluded = goaways.filter { $0.contains(#""flags":["goaway","no-response"]"#) }
    #expect(excluded.count >= 6 && Set(excluded.compactMap { member("stream", $0) }).count == 6)
    let resets = try generate {
      $0.pushes.goaways = 0
      $0.pushes.streamResets = 0
      $0.capture.resets = 1000
    }.truth
    let silent = resets.filter { $0.contains(#""flags":["no-response"]"#) }
    #expect(silent.count >= 6 && silent.allSatisfy { member("outcome", $0) == "unknown" })
  }

  @Test("lost packets change no push, but what is certain of those after them")
  func loss() throws {
    let sound = try generate().truth
    let lossy = try generate { $0.capture.loss = 30 }.truth
    func pushes(_ lines: [Substring]) -> [String] {
      lines.filter { type($0).hasPrefix("push") }.map {
        "\(member("token", $0) ?? "") \(member("status", $0) ?? "")"
      }
      .sorted()
    }
    #expect(pushes(lossy) == pushes(sound))
    let types = Dictionary(lossy.map { (type($0), 1) }, uniquingKeysWith: +)
    #expect(Set(types.keys) == ["push", "push-near-damage", "push-damaged"])
    #expect(types.values.allSatisfy { $0 > 5 })
  }

  @Test("without the beginning nothing is certain")
  func midstream() throws {
    let truth = try generate {
      $0.capture.beginsMidstream = true
      $0.capture.connections = 4
    }.truth
    #expect(!truth.contains { type($0) == "push" } && truth.count == 300)
  }

  // MARK: - Logs

  @Test("a log has a line for each push", arguments: PushLogScenario.Times.allCases)
  func log(_ times: PushLogScenario.Times) throws {
    for format in PushLogScenario.Format.allCases {
      let (bytes, truth) = try generate(.pushLog) {
        $0.log.format = format
        $0.log.times = times
      }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      let pushes = truth.filter { type($0) == "push" }
      #expect(pushes.count == 300 && lines.count == (format == .csv ? 301 : 300))
      if format == .csv { #expect(lines[0] == "token,status,reason,timestamp,apns_id,topic") }
      for push in pushes {
        let line = lines[(Int(member("line", push) ?? "") ?? 1) - 1]
        let values = ["token", "status", "reason", "apns_id", "topic"].compactMap { member($0, push) }
        #expect(values.allSatisfy { line.contains($0) })
        let offset = Int(member("offset", push) ?? "") ?? 0
        #expect(bytes[offset...].starts(with: line.utf8))
        guard let time = member("timestamp_ms", push) else { continue }
        switch times {
        case .milliseconds: #expect(line.contains(time))
        case .seconds: #expect(line.contains(time.dropLast(3)) && time.hasSuffix("000"))
        case .rfc3339: #expect(line.contains("\"\(member("time", push) ?? "-")\""))
        }
      }
    }
  }
}
