import Basics
import PacketCapture
import StreamInputs

/// The secrets that a run starts with, and the files that they are from.
package struct StreamKeys: Sendable {
  struct File: Sendable {
    var name: String
    /// Secrets in it.
    var count: Int
  }

  private(set) var store = SecretStore()
  /// By the numbers that the origins of secrets have.
  private(set) var files: [File] = []
  /// Whether key logs in captures are used.
  package let readsEmbedded: Bool

  private static let blockLength = 256 << 10
  private static let maxKeyLength = 1 << 20
  private static let maxPassphraseLength = 4096

  /// Of a secret with the tables that find it, on average.
  private static let secretCost = 160

  /// - Parameter memory: bytes for secrets; further ones are counted and not used.
  package init(readsEmbedded: Bool, memory: Int) {
    self.readsEmbedded = readsEmbedded
    store.limit = max(1, min(memory / Self.secretCost, Int(Int32.max)))
  }

  /// Reads key logs, texts of `openssl s_client` and session files, block by block.
  /// - Throws: a `CommandError` that names the file.
  package mutating func addKeyFile(_ input: Input) throws {
    var reader = KeyFileReader(file: files.count)
    let ignored = store.ignoredCount
    do throws(InputError) {
      var file = try InputFile(input)
      var block = [UInt8](repeating: 0, count: Self.blockLength)
      while case let count = try file.fill(&block, from: 0), count > 0 {
        reader.append(block.span.bytes.extracting(first: count), to: &store)
      }
    } catch {
      throw Self.error(input, error.message)
    }
    let report = reader.finish(to: &store)
    files.append(File(name: input.name, count: report.secrets))
    if report.secrets == 0, report.hasPrivateKey {
      throw Self.error(input, "has a private key and no other secrets: give it with --rsa-key")
    }
    if report.secrets == 0 {
      warn(
        "no secret in its \(Count.of(report.lines, "line")): expected a key log (SSLKEYLOGFILE), the "
          + "text of openssl s_client, or a session file of it")
    } else if report.badLineCount > 0 {
      let listed = report.badLines.prefix(5)
      let numbers = listed.map(String.init).joined(separator: ", ")
      warn(
        "\(report.badLineCount) of \(report.lines) lines cannot be read as secrets (line \(numbers)"
          + (report.badLineCount > listed.count ? ", …)" : ")"))
    }
    if store.ignoredCount > ignored {
      warn(
        "\(Count.of(store.ignoredCount - ignored, "secret")) not used, as --memory has room for "
          + "\(store.limit): raise it")
    }

    func warn(_ message: Message) { Console.note(.warning(.about(input.name, message))) }
  }

  package mutating func addPrivateKey(_ input: Input, passphrase: [UInt8]?) throws {
    let content = try Self.content(of: input, limit: Self.maxKeyLength)
    do throws(PrivateKey.ReadError) {
      store.add(try PrivateKey(content, passphrase: passphrase, file: files.count))
      files.append(File(name: input.name, count: 1))
    } catch {
      throw Self.error(input, Message(error, hasPassphrase: passphrase != nil))
    }
  }

  /// Reads pre-shared keys: lines `identity:key`, as GnuTLS's psktool writes them, or `key` for any identity.
  /// Keys are in hex; empty lines and those that begin with `#` are ignored.
  package mutating func addSharedKeys(_ input: Input) throws {
    let lines = try Self.content(of: input, limit: Self.maxKeyLength)
      .split(separator: 0x0a, omittingEmptySubsequences: false)
    var count = 0
    for (index, line) in lines.enumerated() {
      let text = line.last == 0x0d ? line.dropLast() : line
      if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
      let colon = text.lastIndex(of: UInt8(ascii: ":"))
      let digits = text[(colon.map { $0 + 1 } ?? text.startIndex)...]
      guard let key = KeyLogLine.hex(digits), !key.isEmpty else {
        let message: Message = "expected IDENTITY:KEY with the key in hex, found other text"
        throw Self.error(input, .located(message, line: index + 1, column: nil))
      }
      store.add(
        sharedKey: key, identity: colon.map { Array(text[..<$0]) },
        at: SecretOrigin(file: files.count, line: index + 1))
      count += 1
    }
    guard count > 0 else {
      throw Self.error(input, "has no pre-shared key: expected lines IDENTITY:KEY with the key in hex")
    }
    files.append(File(name: input.name, count: count))
  }

  /// The first line of a file.
  package static func passphrase(in input: Input) throws -> [UInt8] {
    let content = try content(of: input, limit: maxPassphraseLength)
    let line = content.prefix { $0 != 0x0a }
    return Array(line.last == 0x0d ? line.dropLast() : line)
  }

  private static func content(of input: Input, limit: Int) throws -> [UInt8] {
    do throws(InputError) {
      let content = try InputFile.content(of: input, limit: limit)
      guard content.count <= limit else { throw InputError("has more than \(limit) bytes") }
      return content
    } catch {
      throw Self.error(input, error.message)
    }
  }

  private static func error(_ input: Input, _ message: Message) -> CommandError {
    CommandError(.about(input.name, message))
  }
}
