// MARK: - Options of serve

extension Message {
  package static func needsTLS(_ option: String) -> Message { Message("\(option) requires --tls") }

  // MARK: - What serve serves

  /// - Parameter memory: in bytes.
  package static func streamsExceedMemory(_ memory: Int) -> Message {
    Message("all streams together exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func nothingToServe(skipped streams: Int) -> Message {
    Message("nothing to serve: \(Count.of(streams, "stream")) skipped, see above")
  }

  package static func pushesExceedMemory(_ memory: Int) -> Message {
    Message("the pushes exceed \(ByteSize.text(memory)); raise --memory")
  }

  package static func nothingToServe(noStream number: Int) -> Message {
    Message("nothing to serve: no input has a stream \(number); `apnsift inspect` lists them")
  }

  // MARK: - Starting a server

  package static func fingerprint(_ digits: String) -> Message {
    Message("SHA-256 fingerprint of the certificate: \(digits)")
  }

  package static func portInUse(_ port: Int, of address: String) -> Message {
    Message(
      "port \(port) of \(address) is in use; stop the other server, or use another --port "
        + "(0 selects a free one)")
  }

  package static func addressUnavailable(_ address: String) -> Message {
    Message("\(address) is not an address of this machine; use another one with --listen")
  }

  package static func notAnAddress(_ text: String) -> Message {
    Message("\(text) is not an IP address; use one such as 127.0.0.1 with --listen")
  }

  // MARK: - Certificates and keys

  package static func tooLargeForPEM(limit: Int) -> Message {
    Message("expected PEM, but the file is larger than \(ByteSize.text(limit))")
  }

  package static func noCertificate(in path: String) -> Message {
    Message("\(path): no valid PEM certificate (-----BEGIN CERTIFICATE-----) in the file")
  }

  package static func noKey(in path: String) -> Message {
    Message("\(path): no valid PEM private key (-----BEGIN PRIVATE KEY-----) in the file")
  }

  // MARK: - A client of serve

  /// - Parameter number: from 1.
  package static func client(
    _ number: Int, _ peer: String, of connection: String, _ outcome: Message
  ) -> Message {
    Message("client \(number) (\(peer)): \(connection): \(outcome)")
  }

  /// A client of `serve --pushes`.
  /// - Parameter number: from 1.
  package static func client(_ number: Int, _ peer: String, _ outcome: Message) -> Message {
    Message("client \(number) (\(peer)): \(outcome)")
  }

  private static func pushes(_ count: Int) -> String { Count.of(count, "push", "pushes") }

  package static func pushesAnswered(_ count: Int) -> Message { Message("\(pushes(count)) answered") }

  package static func pushesClosedByClient(after count: Int) -> Message {
    Message("closed by the client after \(pushes(count)), before all answers")
  }

  package static func pushesResetByClient(after count: Int) -> Message {
    Message("reset by the client after \(pushes(count))")
  }

  package static func pushesStopped(after count: Int) -> Message {
    Message("server stopped after \(pushes(count))")
  }

  package static func pushesFailed(after count: Int, _ reason: Message) -> Message {
    Message("failed after \(pushes(count)): \(reason)")
  }

  package static let notHTTP2 = Message(
    "the client did not begin with HTTP/2: it must use prior knowledge (no upgrade), or TLS with --tls")

  package static func rejected(_ peer: String) -> Message {
    Message("\(peer): rejected: too many clients, or everything was served")
  }

  /// `all 760 bytes`, `3 of 760 bytes`.
  private static func progress(_ sent: Int, of size: Int) -> String {
    "\(sent == size ? "all" : "\(sent) of") \(Count.of(size, "byte"))"
  }

  package static func bytesSent(_ sent: Int, of size: Int) -> Message {
    Message("\(progress(sent, of: size)) sent")
  }

  package static func closedByClient(after sent: Int, of size: Int) -> Message {
    Message("closed by the client after \(progress(sent, of: size))")
  }

  package static func resetByClient(after sent: Int, of size: Int) -> Message {
    Message("reset by the client after \(progress(sent, of: size))")
  }

  package static func clientReadNothing(after sent: Int, of size: Int, seconds: Int) -> Message {
    Message("idle timeout after \(progress(sent, of: size)): the client read nothing for \(seconds) s")
  }

  package static func clientSentNothing(
    after sent: Int, of size: Int, seconds: Int, received: Int, expected: Int
  ) -> Message {
    Message(
      "idle timeout after \(progress(sent, of: size)): the client sent nothing for \(seconds) s, and "
        + "\(received) of \(Count.of(expected, "byte")) in all")
  }

  package static func serverStopped(after sent: Int, of size: Int) -> Message {
    Message("server stopped after \(progress(sent, of: size))")
  }

  package static func connectionFailed(after sent: Int, of size: Int, _ reason: Message) -> Message {
    Message("failed after \(progress(sent, of: size)): \(reason)")
  }

  /// A client used TLS, and the server does not.
  package static func unexpectedTLS(_ outcome: Message) -> Message {
    Message("\(outcome); the client speaks TLS: use --tls")
  }

  // MARK: - TLS handshakes

  package static func handshakeFailed(_ peer: String, _ reason: Message) -> Message {
    Message("\(peer): TLS handshake failed: \(reason)")
  }

  package static let closedInHandshake = Message("the client closed before the handshake was over")
  package static let handshakeTooSlow = Message("the client did not complete the handshake in time")

  // MARK: - All clients, in the closing line

  package static func served(streams: Int, clients: Int, bytes: Int) -> Message {
    Message(
      "served \(Count.of(streams, "stream")) to \(Count.of(clients, "client")), \(Count.of(bytes, "byte"))")
  }

  package static func servedPushes(_ pushes: Int, clients: Int) -> Message {
    Message("answered \(Self.pushes(pushes)) of \(Count.of(clients, "client"))")
  }

  package static func stalledClients(_ count: Int) -> Message { clients(count, "stalled") }
  package static func clientsThatReset(_ count: Int) -> Message { clients(count, "reset the connection") }
  package static func clientsThatClosedEarly(_ count: Int) -> Message { clients(count, "closed early") }
  package static func failedClients(_ count: Int) -> Message { clients(count, "failed") }
  package static func remainingClients(_ count: Int) -> Message {
    clients(count, "still connected at the end")
  }
  package static func rejectedClients(_ count: Int) -> Message { clients(count, "rejected") }
  package static func absentClients(_ count: Int) -> Message { clients(count, "did not come") }

  private static func clients(_ count: Int, _ outcome: String) -> Message {
    Message("\(Count.of(count, "client")) \(outcome)")
  }

  package static func failedHandshakes(_ count: Int) -> Message {
    Message("\(Count.of(count, "TLS handshake")) failed")
  }
}
