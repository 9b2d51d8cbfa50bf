import ArgumentParser
import StreamInputs
import TLSDecryption

/// The keys of TLS streams in captures (docs/spec/captures.md#tls).
struct DecryptionOptions: ParsableArguments {
  @Option(help: .init("TLS key log, or openssl s_client text; repeatable.", valueName: "FILE"))
  var keys: [String] = []
  @Option(help: .init("RSA key of the server; repeatable.", valueName: "FILE"))
  var rsaKey: [String] = []
  @Option(help: .init("File with the passphrase of --rsa-key.", valueName: "FILE"))
  var passphraseFile: String?
  @Option(help: .init("Pre-shared keys, up to TLS 1.2; repeatable.", valueName: "FILE"))
  var psk: [String] = []
  @Flag(help: "Ignore key logs in captures.")
  var noEmbeddedKeys = false
  @Flag(help: "Do not decrypt TLS.")
  var noDecrypt = false

  mutating func validate() throws {
    if passphraseFile != nil, rsaKey.isEmpty {
      throw ValidationError("--passphrase-file is for --rsa-key: give both")
    }
    if noDecrypt, !(keys + rsaKey + psk).isEmpty {
      throw ValidationError("--no-decrypt excludes --keys, --rsa-key and --psk")
    }
  }

  var files: [String] { keys + rsaKey + psk + [passphraseFile].compactMap { $0 } }

  /// Reads the files; nil if nothing is to be decrypted.
  /// - Parameter memory: bytes for secrets.
  func streamKeys(memory: Int, _ input: (String) throws -> Input) throws -> StreamKeys? {
    if noDecrypt { return nil }
    var found = StreamKeys(readsEmbedded: !noEmbeddedKeys, memory: memory)
    for name in keys { try found.addKeyFile(try input(name).of(option: "--keys")) }
    let passphrase = try passphraseFile.map {
      try StreamKeys.passphrase(in: try input($0).of(option: "--passphrase-file"))
    }
    for name in rsaKey {
      try found.addPrivateKey(try input(name).of(option: "--rsa-key"), passphrase: passphrase)
    }
    for name in psk { try found.addSharedKeys(try input(name).of(option: "--psk")) }
    return found
  }
}
