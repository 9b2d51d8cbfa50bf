extension FindingCode {
  /// Findings about TLS and its keys.
  var encryptionDescription: (severity: Severity, entry: CatalogueEntry) {
    switch self {
    case .encryptedStream:
      (
        .error,
        CatalogueEntry(
          title: "Encrypted bytes",
          cause: "The direction begins with a TLS record, and there is no key for it.",
          meaning: """
            Nothing in it is decoded. Read as tuples, ciphertext would give tokens that never existed. A captured TLS \
            connection has one finding for each direction; gaps in it are counted in gap_bytes.
            """,
          remedy: """
            Give the keys of a captured connection with --keys: a key log, or the text of openssl s_client. A dump of one \
            direction cannot be decrypted: find the capture that it is from, or what the client itself saved.
            """,
          example: """
            $ apnsift export samples/ciphertext.bin --records findings 2>/dev/null | sed -n 2p
            samples/ciphertext.bin,0,server,0,4315,,0,encrypted-stream,error,…
            """)
      )
    case .decryptionFailed:
      (
        .error,
        CatalogueEntry(
          title: "A TLS stream that the keys do not open",
          cause: """
            The message has the reason: no key for this client random, a handshake that was not captured, a cipher suite \
            that is not supported, or records whose MAC is wrong. A stream has one such finding, of its first reason.
            """,
          meaning: """
            No byte without a right MAC is used. Without any plaintext, the stream counts as encrypted. Otherwise the \
            plaintext ends at offset, and length is the number of bytes of ciphertext after it.
            """,
          remedy: """
            Search the key log for the client random. The key log of either end is enough. --no-decrypt shows the \
            ciphertext.
            """,
          example: """
            $ echo "CLIENT_RANDOM $(printf %064d 0) $(printf %096d 0)" >other.keylog
            $ apnsift export samples/captures/session-tls.pcap --keys other.keylog --records findings 2>/dev/null | sed -n 2p
            samples/captures/session-tls.pcap,0,…,decryption-failed,error,…
            """)
      )
    case .unrelatedTLS:
      (
        .note,
        CatalogueEntry(
          title: "TLS on a port of another service",
          cause: """
            The connection is not to a port of the feedback service or of a gateway (2196, 2195, --feedback-port, \
            --gateway-port), and no key opens it.
            """,
          meaning: "It is probably another program's. Nothing in it is decoded.",
          remedy: """
            None is needed. If it is the service after all, name its port, or give its keys with --keys. --filter leaves \
            other traffic out.
            """,
          example: """
            $ apnsift export samples/captures/session-tls.pcap --feedback-port 2222 --records findings 2>/dev/null | sed -n 2p
            samples/captures/session-tls.pcap,0,…,unrelated-tls,note,…
            """)
      )
    case .unusedSecrets:
      (
        .note,
        CatalogueEntry(
          title: "Secrets that opened no connection",
          cause: """
            A file of --keys or --rsa-key has secrets of connections that are not in the inputs, or whose records they do \
            not prove.
            """,
          meaning: "Nothing is lost by them. source is the file of keys.",
          remedy: "None is needed, unless a stream has a decryption-failed finding: then other keys are.",
          example: """
            $ echo "CLIENT_RANDOM $(printf %064d 0) $(printf %096d 0)" >other.keylog
            $ apnsift export samples/dump.bin --keys other.keylog --records findings 2>/dev/null | tail -n 1
            other.keylog,,,,,,,unused-secrets,note,…
            """)
      )
    default: undescribed
    }
  }
}
