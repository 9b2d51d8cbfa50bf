import Basics
import PacketCapture
import TLSDecryption
import TestSupport
import Testing
import Wording

@Suite struct ConnectionTests {
  @Test func sessionsAreDescribed() throws {
    for number in ["1.2", "1.3"] {
      let flow = try #require(Flow.named("openssl-\(number)-client-certificate"))
      let result = flow.decrypt(flow.context)
      #expect(result.encryption.version == "TLS \(number)")
      #expect(result.encryption[.client].isDecrypted && result.encryption[.server].isDecrypted)
      #expect(result.encryption.serverName == "feedback.push.apple.com")
      #expect(result.encryption.serverSubject == "C=US, O=Example, CN=feedback.example")
      #expect(
        result.encryption.clientSubject == "UID=com.example.app, "
          + "CN=Apple Production IOS Push Services: com.example.app, OU=EXAMPLE123, C=US")
      #expect(result.encryption.clientUserID == "com.example.app")
      #expect(result.secret?.line ?? 0 > 0)
    }
  }

  @Test func theProtocolOfAServerHelloIsDescribed() throws {
    let flow = try #require(Flow.named("openssl-1.2-client-certificate"))
    let result = flow.decrypt(flow.context) { index, chunk in
      guard index == 1 else { return chunk.bytes }
      var bytes = chunk.bytes
      // The lengths of the record, the hello and its extensions, of which ALPN becomes the first.
      for length in [4, 8, 48] { bytes[length] += 9 }
      bytes.insert(contentsOf: [0, 16, 0, 5, 0, 3, 2] + Array("h2".utf8), at: 49)
      return bytes
    }
    #expect(result.encryption.applicationProtocol == "h2")
  }

  /// What is decrypted in one batch is cut into chunks of 64 KiB.
  @Test func aHundredConnectionsInOneBatch() throws {
    let flow = try #require(Flow.named("openssl-1.3-AES_128_GCM_SHA256"))
    let context = flow.context
    context.output.begin(EventBatch())
    for _ in 0..<100 {
      let decryption = Decryption(context, beginsBatch: false)
      for chunk in flow.chunks { decryption.append(chunk.bytes, from: chunk.sender) }
      decryption.connection.finish()
    }
    var result = Decrypted()
    result.take(context.output.finish())
    for side in Side.allCases {
      let sent = flow.plaintext[side] ?? []
      #expect(result.plaintext[side] == Array(repeatElement(sent, count: 100).joined()))
    }
  }

  /// The secret of the first connection, which the second one resumes: by id or ticket, and the secret names neither.
  @Test(arguments: [
    "openssl-1.0-resumption-id", "openssl-1.2-resumption-id", "openssl-1.2-resumption-ticket",
  ])
  func resumption(_ name: String) throws {
    let flow = try #require(Flow.named(name))
    let context = DecryptionContext(secrets(flow.firstKeys))
    #expect(flow.decrypt(context).records[.server] == [])
    #expect(flow.resumed?.decrypt(context).plaintext == flow.plaintext)
    let second = flow.decrypt(context)
    #expect(second.plaintext == flow.plaintext)
    #expect(second.failures == [])
  }

  /// A capture that begins within a connection: everything from the first whole record on.
  @Test(arguments: [
    "openssl-1.3-AES_128_GCM_SHA256", "openssl-1.3-AES_256_GCM_SHA384",
    "openssl-1.3-CHACHA20_POLY1305_SHA256", "openssl-1.3-AES_128_CCM_SHA256",
  ])
  func midstream(_ name: String) throws {
    let flow = try #require(Flow.named(name))
    let data = flow.chunks.filter {
      $0.sender == .server && $0.bytes.first == 23 && (150..<300).contains($0.bytes.count)
    }
    for skipped in 0..<min(4, data.count) {
      for cut in [0, 1, 77] {
        let decryption = Decryption(flow.context)
        for (index, chunk) in data[(data.count - 6 + skipped)...].enumerated() {
          decryption.append(chunk.bytes.dropFirst(index == 0 ? cut : 0), from: .server)
        }
        let result = decryption.finish()
        let expected = flow.plaintext[.server]?.suffix(190 * (6 - skipped - (cut > 0 ? 1 : 0)))
        #expect(
          result.plaintext[.server]?.elementsEqual(expected ?? []) == true,
          "\(skipped) \(cut) \(result.failures)")
        // How much of the cut record's plaintext was captured is unknown: 17 bytes are its type and tag.
        let tail = cut > 0 ? data[data.count - 6 + skipped].bytes.count - cut - 17 : 0
        #expect(result.gaps.allSatisfy { $0.gap.isUpperBound })
        #expect(result.gaps.map(\.gap.length).reduce(0, +) >= tail, "\(skipped) \(cut)")
      }
    }
  }

  /// With stream ciphers and AEADs a gap has its exact length; with others it is never too short.
  @Test(arguments: FlowTests.decryptable) func gapLengths(_ flow: Flow) {
    let context = flow.context
    let whole = flow.decrypt(context)
    guard let last = flow.chunks.lastIndex(where: { $0.sender == .server && $0.bytes.count > 150 }) else {
      return
    }
    for dropped in flow.chunks.indices where flow.chunks[dropped].sender == .server && dropped != last {
      let result = flow.decrypt(context) { index, chunk in index == dropped ? nil : chunk.bytes }
      let exact = result.gaps.filter { $0.side == .server && !$0.gap.isUpperBound }.map(\.gap)
      for gap in exact where gap.cause == .missing {
        let end = gap.offset + gap.length
        #expect(result.offsets[.server]?.contains(end) == true)
        #expect(whole.offsets[.server]?.contains(end) == true, "chunk \(dropped): \(gap)")
      }
    }
  }

  /// Gaps that begin and end anywhere lose the records that they touch, and no others.
  @Test(arguments: FlowTests.decryptable) func gapsAnywhere(_ flow: Flow) {
    var random = SeededGenerator(seed: 7)
    let context = flow.context
    let server = flow.chunks.filter { $0.sender == .server }.flatMap(\.bytes)
    let whole = flow.decrypt(context)
    let sent = whole.plaintext[.server]?.count ?? 0
    // The first data of the direction: a gap before it may lose a needed message.
    let data = server.count - (whole.dataLength(of: .server) ?? server.count)
    for _ in 0..<8 {
      let start = Int.random(in: 0..<server.count, using: &random)
      let length = min(server.count - start, random.pick(1...700))
      let result = flow.decrypt(context, gap: start..<(start + length), of: .server)
      #expect(result.isProved(by: flow), "\(start) \(length)")
      guard start > data, !flow.name.contains("rehandshake"), !flow.name.contains("key-update") else {
        continue
      }
      // Records have 190 or 381 bytes here; with a chained IV one more is lost.
      let got = result.plaintext[.server]?.count ?? 0
      #expect(got >= sent - length - 3 * 400, "\(start) \(length): \(got) of \(sent) \(result.failures)")
      let reported = result.gaps.filter { $0.side == .server }.reduce(0) { $0 + $1.gap.length }
      #expect(got + reported >= sent, "\(start) \(length)")
    }
  }

  @Test(arguments: FlowTests.decryptable) func mutationsProveNothing(_ flow: Flow) {
    var random = SeededGenerator(seed: 16)
    let context = flow.context
    for round in 0..<(1000 / max(1, FlowTests.decryptable.count) + 5) {
      let target = Int.random(in: flow.chunks.indices, using: &random)
      let result = flow.decrypt(context) { index, chunk in
        guard index == target else { return chunk.bytes }
        return mutated(chunk.bytes, &random)
      }
      #expect(result.isProved(by: flow), "round \(round), chunk \(target)")
    }
  }

  private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<random.pick(1...4) {
      guard !bytes.isEmpty else { break }
      let position = Int.random(in: bytes.indices, using: &random)
      switch random.pick(0...3) {
      case 0: bytes[position] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.removeSubrange(position..<min(bytes.count, position + random.pick(1...40)))
      case 2: bytes.insert(contentsOf: bytes[..<position], at: position)
      default: bytes.replaceSubrange(position..., with: repeatElement(0xff, count: bytes.count - position))
      }
    }
    return bytes
  }

  @Test func whatIsNotSupportedIsNamed() throws {
    let flow = try #require(Flow.named("openssl-1.0-AES128-SHA"))
    func reasons(_ change: (inout [UInt8]) -> Void) -> [Message] {
      flow.decrypt(flow.context) { index, chunk in
        guard chunk.sender == .server, chunk.bytes.first == 22, chunk.bytes.count > 500 else {
          return chunk.bytes
        }
        var bytes = chunk.bytes
        change(&bytes)
        return bytes
      }.failures.map(\.message)
    }
    // The hello's session id is at 43, the suite and the compression method follow it.
    let suite = { (bytes: [UInt8]) in 44 + Int(bytes[43]) }
    let compressed: Message =
      "records are compressed (method 1), which is not supported: decrypt the stream with another program"
    #expect(reasons { $0[suite($0) + 2] = 1 } == [compressed, compressed])
    let seed: Message =
      "cipher suite TLS_RSA_WITH_SEED_CBC_SHA is not supported: decrypt the stream with another program"
    #expect(reasons { $0[suite($0) + 1] = 0x96 }.first == seed)
    let version: Message = "version 0x309 is not supported: decrypt the stream with another program"
    #expect(reasons { $0[10] = 9 }.first == version)
    let noKey = Message.noKey(forClientRandom: flow.clientRandom)
    #expect(flow.decrypt(DecryptionContext(SecretStore())).failures.map(\.message) == [noKey, noKey])
    #expect(
      flow.decrypt(flow.context, only: .client).failures.map(\.message)
        == [
          "the server's part of the handshake was not captured, and no key log of TLS 1.3 fits: captures "
            + "that begin before the connection can be decrypted"
        ])
  }

  /// A direction that waits for the other one, or for the end of a record, keeps no more than 64 KiB and a record.
  @Test func memoryIsBounded() throws {
    let flow = try #require(Flow.named("openssl-1.2-AES128-SHA256"))
    let head = flow.chunks.filter { $0.sender == .server }.prefix(1).flatMap(\.bytes)
    let decryption = Decryption(flow.context)
    let connection = decryption.connection
    decryption.append(head, from: .server)
    let records =
      [20, 3, 3, 0, 1, 1]
      + Array(repeatElement([23, 3, 3, 0, 80] + [UInt8](repeating: 7, count: 80), count: 100).joined())
    for _ in 0..<100 {
      decryption.append(records, from: .server)
      #expect((decryption.offsets[.server] ?? 0) - connection.keptOffset(of: .server) <= 82 << 10)
    }
    let stop = try #require(connection.stops.first)
    #expect(connection.stops.count == 1 && stop.side == .server && stop.offset == head.count + 6)
    #expect(stop.message == .noKey(forClientRandom: nil))
    #expect(connection.isUnreadable(.server) && !connection.isUnreadable(.client))
    #expect(connection.keptOffset(of: .server) == decryption.offsets[.server])
    #expect(decryption.finish().records == [.client: [], .server: []])
  }

  /// Bytes that are no TLS, records of length 0 and of the greatest length, endless handshakes.
  @Test func anythingElse() {
    var random = SeededGenerator(seed: 1)
    let context = DecryptionContext(secrets(Flow.all.flatMap(\.keys)))
    var inputs = (0..<50).map { _ in random.bytes(3000) }
    inputs.append([UInt8](repeating: 0x16, count: 200_000))
    inputs.append(Array(repeatElement([23, 3, 3, 0, 0], count: 1000).joined()))
    inputs.append(
      Array(repeatElement([22, 3, 3, 0x48, 0] + [UInt8](repeating: 1, count: 0x4800), count: 20).joined()))
    inputs.append(Array(repeatElement([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff], count: 1000).joined()))
    for input in inputs {
      for sender in Side.allCases {
        let decryption = Decryption(context)
        decryption.append(input, from: sender)
        decryption.gap(5, from: sender)
        decryption.gap(1 << 40, from: sender)
        decryption.append(input, from: sender.other)
        decryption.append(input, from: sender)
        #expect(decryption.finish().records == [.client: [], .server: []])
      }
    }
  }
}
