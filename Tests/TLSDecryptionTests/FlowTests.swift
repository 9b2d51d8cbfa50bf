import Basics
import PacketCapture
import TLSDecryption
import Testing
import Wording

/// Connections of real programs, with the secrets that they wrote.
@Suite struct FlowTests {
  /// They have a cipher that is not supported, or a secret of another kind.
  static let unsupported = ["ARIA"]
  static var decryptable: [Flow] {
    Flow.all.filter { flow in !flow.keys.isEmpty && !unsupported.contains { flow.name.contains($0) } }
  }
  static var rsa: [Flow] {
    Flow.all.filter { flow in
      flow.chunks.contains { $0.bytes.first == 22 }
        && !["1.3", "DHE", "PSK", "ARIA", "no-etm", "resumption"].contains { flow.name.contains($0) }
    }
  }

  private func expectWhole(_ result: Decrypted, _ flow: Flow, only: Side? = nil) {
    #expect(result.failures == [])
    #expect(result.gaps == [])
    for sender in Side.allCases where only == nil || only == sender {
      #expect(result.plaintext[sender] == flow.plaintext[sender], "\(sender)")
    }
  }

  @Test(arguments: decryptable) func whole(_ flow: Flow) {
    let whole = flow.decrypt(flow.context)
    expectWhole(whole, flow)
    #expect(whole.secret != nil)
    #expect(flow.decrypt(flow.context, step: 1) == whole)
    #expect(flow.decrypt(flow.context, step: 7) == whole)
  }

  /// Found by a fuzzer: the secret that was named was of the last record, of whichever direction came last.
  @Test(arguments: decryptable) func oneDirectionAfterTheOther(_ flow: Flow) {
    let whole = flow.decrypt(flow.context)
    for first in Side.allCases {
      var reordered = flow
      reordered.chunks = flow.chunks.filter { $0.sender == first } + flow.chunks.filter { $0.sender != first }
      let result = reordered.decrypt(flow.context)
      #expect(result.encryption == whole.encryption && result.secret == whole.secret, "\(first) first")
    }
  }

  /// Found by a fuzzer: with two hellos in one chunk, the client's records were read with the second one alone.
  @Test func twoServerHellosInOneChunk() throws {
    var flow = try #require(Flow.named("openssl-1.3-AES_128_GCM_SHA256"))
    let other = try #require(Flow.named("openssl-1.2-NULL-SHA256"))
    let hellos = try [flow, other].flatMap { flow in
      let first = try #require(flow.chunks.first { $0.sender == .server }).bytes
      return first.prefix(5 + Int(first[3]) << 8 + Int(first[4]))
    }
    flow.chunks = flow.chunks.filter { $0.sender == .client } + [Flow.Chunk(sender: .server, bytes: hellos)]
    let whole = flow.decrypt(flow.context)
    #expect(whole == flow.decrypt(flow.context, step: 1))
    #expect(whole.records[.client]?.isEmpty == false)
  }

  /// Found by a fuzzer: a record without proof was tried again with each byte of the next header, which used up the trials.
  @Test(arguments: decryptable) func damagedByteByByte(_ flow: Flow) {
    for target in flow.chunks.indices where isData(flow.chunks[target].bytes) {
      func decrypt(step: Int) -> Decrypted {
        // Only one side, so that all secrets are tried.
        flow.decrypt(flow.context, only: flow.chunks[target].sender, step: step) { index, chunk in
          if index < target { return nil }
          return index == target ? chunk.bytes.dropLast() + [~(chunk.bytes.last ?? 0)] : chunk.bytes
        }
      }
      #expect(decrypt(step: 1) == decrypt(step: .max), "chunk \(target)")
    }
  }

  /// The secret names the connection, or all are tried.
  @Test(arguments: decryptable) func serverAlone(_ flow: Flow) {
    let result = flow.decrypt(flow.context, only: .server)
    expectWhole(result, flow, only: .server)
  }

  @Test(arguments: rsa) func privateKey(_ flow: Flow) throws {
    var store = SecretStore()
    store.add(try PrivateKey(Flow.file("rsa.key"), file: 3))
    let result = flow.decrypt(DecryptionContext(store))
    expectWhole(result, flow)
    #expect(result.secret == SecretOrigin(file: 3, line: 0))
  }

  @Test(arguments: decryptable) func droppedChunks(_ flow: Flow) {
    let whole = flow.decrypt(flow.context)
    for dropped in flow.chunks.indices {
      let result = flow.decrypt(flow.context) { index, chunk in index == dropped ? nil : chunk.bytes }
      #expect(result.isProved(by: flow), "chunk \(dropped)")
      let chunk = flow.chunks[dropped]
      guard chunk.sender == .server, let sent = whole.plaintext[.server]?.count,
        let got = result.plaintext[.server]?.count, isData(chunk.bytes)
      else { continue }
      // The records that the chunk touches, and with a chained IV one more.
      let allowed = chunk.bytes.count + (flow.name.contains("-1.0-") || flow.name.contains("v3") ? 400 : 0)
      // The record after it may be the hello of a renegotiation: without it the keys are not known.
      if flow.name == "openssl-1.0-renegotiation" { continue }
      #expect(got >= sent - allowed, "chunk \(dropped) of \(chunk.bytes.count) bytes: \(result.failures)")
    }
  }

  /// Whether it begins with application data, and does not end a handshake.
  private func isData(_ bytes: [UInt8]) -> Bool { bytes.first == 23 && bytes.count < 700 }

  @Test(arguments: decryptable) func flippedBytes(_ flow: Flow) {
    var number = 0
    for target in flow.chunks.indices {
      for position in stride(from: 0, to: flow.chunks[target].bytes.count, by: 61) {
        number += 1
        let result = flow.decrypt(flow.context) { index, chunk in
          guard index == target else { return chunk.bytes }
          var bytes = chunk.bytes
          bytes[position] ^= UInt8(1 << (number % 8))
          return bytes
        }
        #expect(result.isProved(by: flow), "chunk \(target), byte \(position)")
      }
    }
  }

  /// Secrets of other connections, one of them under this one's name.
  @Test(arguments: decryptable) func wrongSecrets(_ flow: Flow) {
    let other = Flow.all.flatMap { $0.name == flow.name ? [] : $0.keys }
    for keys in [other, flow.keys.map { $0.dropLast(2) + "00" }] {
      let result = flow.decrypt(DecryptionContext(secrets(keys)))
      #expect(result.records == [.client: [], .server: []] && !result.failures.isEmpty)
    }
  }

  @Test func unsupportedCiphersAreNamed() {
    for flow in Flow.all where Self.unsupported.contains(where: { flow.name.contains($0) }) {
      let result = flow.decrypt(flow.context)
      #expect(result.records[.server] == [])
      let texts = result.failures.map(\.message.text)
      #expect(
        texts.allSatisfy { $0.hasPrefix("cipher suite ") && $0.contains("ARIA") } && !texts.isEmpty,
        "\(flow.name)")
    }
  }

  @Test("a session's secret is found by its name; those without names are tried, a limited number of times")
  func trials() throws {
    let flow = try #require(Flow.named("openssl-1.2-client-text"))
    let nameless = flow.text.filter { !$0.contains("Session-ID:") }
    let named = secrets(flow.text)
    for (store, limit, isFound) in [
      (named, 0, true), (secrets(nameless), 1, true), (secrets(nameless), 0, false),
    ] {
      var options = DecryptionOptions()
      options.namelessTrialLimit = limit
      let result = flow.decrypt(DecryptionContext(store, options: options))
      #expect((result.secret != nil) == isFound)
      #expect(result.failures.isEmpty == isFound)
      let noKey = Message.noKey(forClientRandom: flow.clientRandom)
      let reason = "\(noKey) (secrets that name no connection were tried"
      #expect(result.failures.allSatisfy { $0.message.text.hasPrefix(reason) })
    }
    // A secret that names another session is not tried.
    let wrong = secrets(["Session-ID: 0102"] + flow.text.filter { $0.contains("Master-Key:") })
    let other = flow.decrypt(DecryptionContext(wrong))
    #expect(other.failures.contains { $0.message == .noKey(forClientRandom: flow.clientRandom) })
  }
}
