import Messages
import Testing

@Test("Messages about keys and decryption", arguments: Golden.keys + Golden.decryption)
func decryptionMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let keys: [Golden] = [
    Golden(.privateKeyAmongKeys, "has a private key and no other secrets: give it with --rsa-key"),
    Golden(.noPrivateKey, "has no private key in PEM (PKCS#1, PKCS#8) or PKCS#12"),
    Golden(.wrongPassphrase, "the passphrase of --passphrase-file is wrong"),
    Golden(.needsPassphrase, "needs a passphrase: give --passphrase-file"),
    Golden(
      .privateKeyNotRSA,
      "the private key is not RSA: only RSA key exchange can be decrypted with a private key"),
    Golden(.passphraseWithoutKey, "--passphrase-file is for --rsa-key: give both"),
    Golden(.notASharedKey, "expected IDENTITY:KEY with the key in hex, found other text"),
    Golden(.noSharedKey, "has no pre-shared key: expected lines IDENTITY:KEY with the key in hex"),
    Golden(.keysOfNothing, "--no-decrypt excludes --keys, --rsa-key and --psk"),
    Golden(
      .noSecret(lines: 1),
      "no secret in its 1 line: expected a key log (SSLKEYLOGFILE), the text of openssl s_client, or a session "
        + "file of it"),
    Golden(
      .unreadableSecrets(2, ofLines: 9, listed: [3, 4]), "2 of 9 lines cannot be read as secrets (line 3, 4)"),
    Golden(
      .unreadableSecrets(3, ofLines: 9, listed: [3, 4]),
      "3 of 9 lines cannot be read as secrets (line 3, 4, …)"),
    Golden(.tooManySecrets(7, limit: 100), "7 secrets not used, as --memory has room for 100: raise it"),
    Golden(.longerThan(limit: 4096), "has more than 4096 bytes"),
    Golden(.unusedSecrets(1, of: 1), "1 of 1 secret matched no connection"),
    Golden(.unusedSecrets(2, of: 3), "2 of 3 secrets matched no connection"),
  ]

  static let decryption: [Golden] = [
    Golden(
      .noKey(forClientRandom: "00ff"),
      "no key for client random 00ff: give the key log that has it, or the session of openssl s_client, with --keys"
    ),
    Golden(
      .noKey(forClientRandom: nil),
      "no key fits, and the client's hello, which would name it, was not captured: give the key log of this "
        + "connection with --keys"),
    Golden(
      .handshakeNotCaptured(of: "server"),
      "the server's part of the handshake was not captured, and no key log of TLS 1.3 fits: captures that begin "
        + "before the connection can be decrypted"),
    Golden(
      .handshakeIncomplete,
      "messages of the handshake that the keys depend on were not captured: a key log needs fewer of them than "
        + "an RSA key"),
    Golden(
      .unsupportedSuite("TLS_X"),
      "cipher suite TLS_X is not supported: decrypt the stream with another program"),
    Golden(.unsupportedTLS("SSL 2.0"), "SSL 2.0 is not supported: decrypt the stream with another program"),
    Golden(
      .compressedRecords(method: 1),
      "records are compressed (method 1), which is not supported: decrypt the stream with another program"),
    Golden(
      .wrongMAC(of: "client", from: 76),
      "the MAC of the client's records is wrong from offset 76 of the ciphertext on: the key is of another "
        + "connection, or the capture is damaged"),
    Golden(.onlyHandshake, "only a handshake was captured: there is no plaintext"),
    Golden(
      .handshakeFailed(alert: 40, from: "server"),
      "the handshake failed: the server sent alert 40, and there is no plaintext"),
    Golden(
      .clientsOfSeveralApps(3, "com.example.a", "com.example.b"),
      "the certificates of clients name 3 apps, such as com.example.a and com.example.b: name the app of the "
        + "tokens with --app, and replay each app on its own"),
    Golden(
      .otherAppStopsReplay(
        "sqlite:s", .clientOfOtherApp("a.pcap", stream: 2, names: "com.example.a", not: "com.example.b")),
      "sqlite:s is unchanged: a.pcap stream 2: the client's certificate names the app com.example.a, not "
        + "com.example.b; --app names the app of the tokens, and --other-app replays them anyway"),
    Golden(
      .pushOfOtherApp("a.pcap", stream: 2, line: nil, topic: "com.example.a.voip", not: "com.example.b"),
      "a.pcap stream 2: the push's topic is com.example.a.voip, not a topic of the app com.example.b"),
    Golden(
      .pushOfOtherApp("a.log", stream: 0, line: 7, topic: "com.example.a", not: "com.example.b"),
      "a.log line 7: the push's topic is com.example.a, not a topic of the app com.example.b"),
    Golden(
      .pushesOfSeveralApps(["com.example.a", "com.example.b"]),
      "the topics of pushes name 2 apps (com.example.a, com.example.b)"),
    Golden(
      .pushesOfSeveralApps(["a", "b", "c", "d", "e", "f"]),
      "the topics of pushes name 6 apps (a, b, c, d, e, …)"),
  ]
}
