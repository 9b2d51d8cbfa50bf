import Basics

extension Message {
  package static func addressUnavailable(_ address: String) -> Message {
    Message("\(address) is not an address of this machine; use another one with --listen")
  }

  package static func notAnAddress(_ text: String) -> Message {
    Message("\(text) is not an IP address; use one such as 127.0.0.1 with --listen")
  }

  /// A client of `serve --pushes`.
  /// - Parameter number: from 1.
  package static func client(_ number: Int, _ peer: String, _ outcome: Message) -> Message {
    Message("client \(number) (\(peer)): \(outcome)")
  }

  /// `all 760 bytes`, `3 of 760 bytes`.
  private static func progress(_ sent: Int, of size: Int) -> String {
    "\(sent == size ? "all" : "\(sent) of") \(Count.of(size, "byte"))"
  }

  package static func clientSentNothing(
    after sent: Int, of size: Int, seconds: Int, received: Int, expected: Int
  ) -> Message {
    Message(
      "idle timeout after \(progress(sent, of: size)): the client sent nothing for \(seconds) s, and "
        + "\(received) of \(Count.of(expected, "byte")) in all")
  }

  package static func handshakeFailed(_ peer: String, _ reason: Message) -> Message {
    Message("\(peer): TLS handshake failed: \(reason)")
  }

  package static func served(streams: Int, clients: Int, bytes: Int) -> Message {
    Message(
      "served \(Count.of(streams, "stream")) to \(Count.of(clients, "client")), \(Count.of(bytes, "byte"))")
  }

  package static func stalledClients(_ count: Int) -> Message { clients(count, "stalled") }

  package static func absentClients(_ count: Int) -> Message { clients(count, "did not come") }

  private static func clients(_ count: Int, _ outcome: String) -> Message {
    Message("\(Count.of(count, "client")) \(outcome)")
  }

  package static func failedHandshakes(_ count: Int) -> Message {
    Message("\(Count.of(count, "TLS handshake")) failed")
  }

  package static func needsTLS(_ option: String) -> Message { Message("\(option) requires --tls") }

  /// - Parameter memory: in bytes.
  package static func streamsExceedMemory(_ memory: Int) -> Message {
    Message("all streams together exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func nothingToServe(skipped streams: Int) -> Message {
    Message("nothing to serve: \(Count.of(streams, "stream")) skipped, see above")
  }

  package static func nothingToServe(noStream number: Int) -> Message {
    Message("nothing to serve: no input has a stream \(number); `apnsift inspect` lists them")
  }

  package static func fingerprint(_ digits: String) -> Message {
    Message("SHA-256 fingerprint of the certificate: \(digits)")
  }

  package static func portInUse(_ port: Int, of address: String) -> Message {
    Message(
      "port \(port) of \(address) is in use; stop the other server, or use another --port "
        + "(0 selects a free one)")
  }

  package static func noCertificate(in path: String) -> Message {
    Message("\(path): no valid PEM certificate (-----BEGIN CERTIFICATE-----) in the file")
  }

  package static func noKey(in path: String) -> Message {
    Message("\(path): no valid PEM private key (-----BEGIN PRIVATE KEY-----) in the file")
  }

  package static let notHTTP2 = Message(
    "the client did not begin with HTTP/2: it must use prior knowledge (no upgrade), or TLS with --tls")

  /// A client used TLS, and the server does not.
  package static func unexpectedTLS(_ outcome: Message) -> Message {
    Message("\(outcome); the client speaks TLS: use --tls")
  }
}
