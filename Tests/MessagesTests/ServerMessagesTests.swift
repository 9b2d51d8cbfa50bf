import Basics
import Testing

@Test("Messages of serve", arguments: Golden.serving)
func serveMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages of serve about its server", arguments: Golden.servers)
func serverMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages of serve about clients", arguments: Golden.servedClients)
func servedClientMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let serving: [Golden] = [
    Golden(.needsTLS("--tls-min"), "--tls-min requires --tls"),
    Golden(
      .streamsExceedMemory(1 << 20), "all streams together exceed 1.0 MiB; raise --memory"),
    Golden(.nothingToServe(skipped: 1), "nothing to serve: 1 stream skipped, see above"),
    Golden(.nothingToServe(skipped: 2), "nothing to serve: 2 streams skipped, see above"),
    Golden(.pushesExceedMemory(1 << 20), "the pushes exceed 1.0 MiB; raise --memory"),
    Golden(
      .nothingToServe(noStream: 2),
      "nothing to serve: no input has a stream 2; `apnsift inspect` lists them"),
  ]

  static let servers: [Golden] = [
    Golden(.fingerprint("3A:2F"), "SHA-256 fingerprint of the certificate: 3A:2F"),
    Golden(
      .portInUse(2196, of: "127.0.0.1"),
      "port 2196 of 127.0.0.1 is in use; stop the other server, or use another --port (0 selects a free one)"
    ),
    Golden(
      .addressUnavailable("192.0.2.1"),
      "192.0.2.1 is not an address of this machine; use another one with --listen"),
    Golden(
      .notAnAddress("localhost"),
      "localhost is not an IP address; use one such as 127.0.0.1 with --listen"),
    Golden(
      .tooLargeForPEM(limit: 1 << 20), "expected PEM, but the file is larger than 1.0 MiB"),
    Golden(
      .noCertificate(in: "a.pem"),
      "a.pem: no valid PEM certificate (-----BEGIN CERTIFICATE-----) in the file"),
    Golden(
      .noKey(in: "a.key"), "a.key: no valid PEM private key (-----BEGIN PRIVATE KEY-----) in the file"),
  ]

  static let servedClients: [Golden] = [
    Golden(
      .client(1, "127.0.0.1:4000", of: "a.bin", .bytesSent(760, of: 760)),
      "client 1 (127.0.0.1:4000): a.bin: all 760 bytes sent"),
    Golden(
      .client(2, "127.0.0.1:4000", .pushesAnswered(1)), "client 2 (127.0.0.1:4000): 1 push answered"),
    Golden(.pushesAnswered(2), "2 pushes answered"),
    Golden(
      .pushesClosedByClient(after: 2), "closed by the client after 2 pushes, before all answers"),
    Golden(.pushesResetByClient(after: 2), "reset by the client after 2 pushes"),
    Golden(.pushesStopped(after: 1), "server stopped after 1 push"),
    Golden(
      .pushesFailed(after: 0, .notHTTP2),
      "failed after 0 pushes: the client did not begin with HTTP/2: it must use prior knowledge (no "
        + "upgrade), or TLS with --tls"),
    Golden(.servedPushes(1, clients: 1), "answered 1 push of 1 client"),
    Golden(.servedPushes(60, clients: 2), "answered 60 pushes of 2 clients"),
    Golden(
      .rejected("127.0.0.1:4000"), "127.0.0.1:4000: rejected: too many clients, or everything was served"),
    Golden(.bytesSent(1, of: 1), "all 1 byte sent"),
    Golden(.bytesSent(1, of: 760), "1 of 760 bytes sent"),
    Golden(.closedByClient(after: 1, of: 760), "closed by the client after 1 of 760 bytes"),
    Golden(.resetByClient(after: 760, of: 760), "reset by the client after all 760 bytes"),
    Golden(
      .clientReadNothing(after: 38, of: 760, seconds: 30),
      "idle timeout after 38 of 760 bytes: the client read nothing for 30 s"),
    Golden(
      .clientSentNothing(after: 0, of: 6, seconds: 1, received: 3, expected: 44),
      "idle timeout after 0 of 6 bytes: the client sent nothing for 1 s, and 3 of 44 bytes in all"),
    Golden(.serverStopped(after: 38, of: 760), "server stopped after 38 of 760 bytes"),
    Golden(
      .connectionFailed(after: 38, of: 760, .verbatim("bad record")),
      "failed after 38 of 760 bytes: bad record"),
    Golden(
      .unexpectedTLS(.bytesSent(760, of: 760)),
      "all 760 bytes sent; the client speaks TLS: use --tls"),
    Golden(
      .handshakeFailed("127.0.0.1:4000", .closedInHandshake),
      "127.0.0.1:4000: TLS handshake failed: the client closed before the handshake was over"),
    Golden(.handshakeTooSlow, "the client did not complete the handshake in time"),
    Golden(.served(streams: 1, clients: 1, bytes: 1), "served 1 stream to 1 client, 1 byte"),
    Golden(.served(streams: 2, clients: 3, bytes: 2280), "served 2 streams to 3 clients, 2280 bytes"),
    Golden(.stalledClients(1), "1 client stalled"),
    Golden(.stalledClients(2), "2 clients stalled"),
    Golden(.clientsThatReset(2), "2 clients reset the connection"),
    Golden(.clientsThatClosedEarly(2), "2 clients closed early"),
    Golden(.failedClients(2), "2 clients failed"),
    Golden(.remainingClients(2), "2 clients still connected at the end"),
    Golden(.rejectedClients(2), "2 clients rejected"),
    Golden(.absentClients(2), "2 clients did not come"),
    Golden(.failedHandshakes(1), "1 TLS handshake failed"),
    Golden(.failedHandshakes(2), "2 TLS handshakes failed"),
  ]
}
