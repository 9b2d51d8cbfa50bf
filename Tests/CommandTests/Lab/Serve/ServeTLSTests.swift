import Basics
import CommandTestSupport
import Testing

/// `serve --tls`, with certificates that are made and that are given.
@Suite("Serving over TLS") struct ServeTLSTests {
  private let directory = TestDirectory(["dump.bin": ServedFeedback.bytes])

  /// A certificate and its key, made by openssl.
  private func makeIdentity(_ name: String, passphrase: String? = nil) throws {
    let key = passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"]
    _ = try directory.tool(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"] + key)
  }

  @Test("openssl s_client reads what was captured") func opensslClient() throws {
    try directory.writeCapture(ServedFeedback.conversation().segments())
    let server = try directory.serve("capture.pcap", "--tls", "--write-certificate", "server.pem", "--once")
    let bytes = try directory.tool(
      "openssl",
      ["s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", "server.pem", "-verify_return_error"]
        + ["-verify_ip", "127.0.0.1", "-quiet", "-no_ign_eof", "-ign_eof"])
    #expect(bytes == ServedFeedback.bytes)
    let outcome = try server.end(by: nil).exits(0)
    let lines = try directory.shell(
      "openssl x509 -in server.pem -noout -fingerprint -sha256 -ext subjectAltName"
    ).lines
    let fingerprint = try #require(lines.first?.split(separator: "=").last)
    #expect(outcome.messages.first?.hasSuffix(": \(fingerprint)") == true)
    #expect(lines.last == "    DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1")
  }

  @Test("a certificate and a key that are given are used, and a client's certificate is asked for")
  func givenIdentity() throws {
    for name in ["server", "client"] { try makeIdentity(name) }
    let server = try directory.serve(
      "dump.bin", "--certificate", "server.pem", "--key", "server.key", "--ask-client-certificate")
    for shows in [nil, ["client.pem", "client.key"]] {
      let read = try directory.read(from: server, trusting: "server.pem", shows: shows)
      #expect(read.text == hex(ServedFeedback.bytes))
    }
    let asked = try directory.shell(
      "openssl s_client -connect 127.0.0.1:\(server.port) -CAfile server.pem -ign_eof < /dev/null")
    #expect(asked.text.contains("Requested Signature Algorithms"))
    #expect(try server.end().code == 0)
  }

  @Test("certificates and keys that cannot be used are named, and no passphrase is requested")
  func badIdentities() throws {
    for name in ["server", "other"] { try makeIdentity(name) }
    try makeIdentity("closed", passphrase: "abcd")
    let cases: [(String, String, Message)] = [
      ("server.pem", "other.key", "other.key is not the key of server.pem"),
      ("closed.pem", "closed.key", "closed.key: encrypted keys"),
      ("server.pem", "missing.key", "--key: missing.key: cannot be opened"),
      ("missing.pem", "server.key", "--certificate: missing.pem: cannot be opened"),
      ("server.key", "server.key", "server.key: no valid PEM certificate"),
      ("server.pem", "server.pem", "server.pem: no valid PEM private key"),
      ("server.pem", "dump.bin", "dump.bin: no valid PEM private key"),
    ]
    for (certificate, key, message) in cases {
      let outcome = try directory.lab(
        "serve", "dump.bin", "--port", "0", "--certificate", certificate, "--key", key
      ).exits(2, saying: message)
      #expect(outcome.output == [], "\(certificate) \(key)")
    }
  }

  @Test("clients that do not get through the handshake are reported, and use up no stream")
  func failedHandshakes() throws {
    let server = try directory.serve("dump.bin", "--tls", "--write-certificate", "server.pem", "--once")
    let plain = try directory.read(
      from: server, turns: [.init(send: Array("GET / HTTP/1.0\r\n\r\n".utf8), reads: 0)])
    #expect(!plain.text.hasPrefix(hex(ServedFeedback.bytes.prefix(6))))
    _ = try directory.shell(
      "openssl s_client -connect 127.0.0.1:\(server.port) -verify_return_error < /dev/null")
    #expect(try directory.read(from: server, trusting: "server.pem").text == hex(ServedFeedback.bytes))
    let outcome = try server.end(by: nil).exits(
      0, saying: "TLS handshake failed: the client does not speak TLS")
    // Alert 48 is unknown_ca (RFC 8446, section 6). With TLS 1.3 the client may send it unencrypted.
    let alerts: [Message] = ["tlsv1 alert unknown ca", "alert 48, unknown CA"]
    #expect(
      alerts.contains { outcome.said("the client refused the certificate (\($0))") }, "\(outcome.errors)")
    #expect(outcome.messages.last == "served 1 stream to 1 client, 760 bytes; 2 TLS handshakes failed")
  }

  @Test("a client that speaks TLS to a server without it gets advice") func unexpectedTLS() throws {
    let server = try directory.serve("dump.bin", "--once")
    _ = try directory.shell("openssl s_client -connect 127.0.0.1:\(server.port) < /dev/null")
    #expect(try server.end(by: nil).said("the client speaks TLS: use --tls"))
  }
}
