import Basics
import Testing

@Test("Messages about keys and decryption", arguments: Golden.keys + Golden.decryption)
func decryptionMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let keys: [Golden] = [
    Golden(.wrongPassphrase, "the passphrase of --passphrase-file is wrong"),
    Golden(
      .unreadableSecrets(2, ofLines: 9, listed: [3, 4]), "2 of 9 lines cannot be read as secrets (line 3, 4)"),
    Golden(
      .unreadableSecrets(3, ofLines: 9, listed: [3, 4]),
      "3 of 9 lines cannot be read as secrets (line 3, 4, …)"),
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
    Golden(
      .wrongMAC(of: "client", from: 76),
      "the MAC of the client's records is wrong from offset 76 of the ciphertext on: the key is of another "
        + "connection, or the capture is damaged"),
    Golden(
      .handshakeFailed(alert: 40, from: "server"),
      "the handshake failed: the server sent alert 40, and there is no plaintext"),
    Golden(
      .otherAppStopsReplay(
        "sqlite:s", "a.pcap stream 2: the client's certificate names the app com.example.a, not com.example.b"
      ),
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
