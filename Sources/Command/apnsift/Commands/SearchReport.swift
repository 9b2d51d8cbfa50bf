import Analysis
import Basics
import CommandOptions
import PacketCapture
import StreamInputs
import TokenStores

/// The rows and messages of a search.
final class SearchReport: SearchLog {
  /// Those of docs/spec/interface.md#search.
  static let columns = ["token", "match", "form", "source", "compression", "offset", "length"]
  /// Tokens that were not found are named up to this number, and files that were not searched inside.
  private static let mostNamed = 10

  private let tokens: SearchedTokens
  private let rows: RowWriter
  private let progress: ReadingProgress
  /// Whether each token was found.
  private var isFound: [Bool]
  /// Files that were searched, the bytes of inputs on disk, and inputs that were not read in full.
  private var (files, bytes, failures) = (0, 0, 0)
  /// Files whose content may be compressed or encrypted.
  private var unsearched = 0
  private var directories: Set<String> = []
  /// Why no more rows can be written.
  private var error: (any Error)?

  init(_ tokens: SearchedTokens, _ rows: RowWriter, _ progress: ReadingProgress) {
    (self.tokens, self.rows, self.progress) = (tokens, rows, progress)
    isFound = [Bool](repeating: false, count: tokens.count)
  }

  /// Searches all inputs.
  /// - Throws: errors of the output.
  func search(_ walk: InputWalk, _ search: InputSearch) throws {
    for (member, error) in walk.errors { read(member, [error]) }
    for (member, reason) in walk.skipped { skipped(member, reason) }
    for input in walk.inputs {
      let count = try search.search(input)
      bytes += count
      progress.finishInput(count)
      if let error { throw error }
    }
    progress.clear()
    for directory in walk.directories where !directories.contains(directory) {
      failures += 1
      Console.say(.about(directory, "no input in this directory"))
    }
  }

  /// Says what was done; throws the exit code.
  func end() throws {
    let missing = isFound.indices.filter { !isFound[$0] }
    if missing.count <= Self.mostNamed {
      for token in missing { Console.note("not found: \(tokens.text(token).digits)") }
    }
    var done = Message(
      "searched \(Count.of(files, "file")) (\(ByteSize.text(bytes))) for \(Count.of(isFound.count, "token")): "
        + "\(Count.of(rows.count, "hit")), \(Count.of(missing.count, "token")) not found")
    if unsearched > 0 { done = done + "; \(Count.of(unsearched, "file")) searched as stored only" }
    if failures > 0 { done = done + "; \(Count.of(failures, "input")) not read in full, see above" }
    let status: ExitStatus = failures > 0 ? .failed : rows.count == 0 ? .found : .done
    (status == .done ? Console.note : Console.say)(done)
    if status != .done { throw status }
  }

  func found(_ hits: [SearchHit], in source: String, encoding: String?) {
    guard error == nil else { return }
    do {
      for hit in hits {
        isFound[hit.token] = true
        let token = tokens.text(hit.token)
        try rows.write([
          .string(token.digits), .string(token.isWhole ? "token" : "prefix"), .string(hit.spelling.rawValue),
          .string(source), JSONValue(encoding), .int(hit.offset), .int(hit.length),
        ])
      }
    } catch {
      self.error = error
    }
  }

  func read(_ input: Input, _ errors: [InputError]) {
    if let directory = input.directory { directories.insert(directory) }
    if errors.isEmpty { return files += 1 }
    failures += 1
    progress.clear()
    for error in errors { Console.say(.about(input.name, error.located)) }
  }

  func skipped(_ input: Input, _ reason: Message) {
    progress.clear()
    Console.note(.about(input.name, .skipped(reason)))
  }

  func searchedAsStored(_ input: Input, _ kind: Message) {
    unsearched += 1
    guard unsearched <= Self.mostNamed else { return }
    progress.clear()
    Console.note(.about(input.name, .searchedOnlyAsStored(kind)))
  }

  func progress(_ done: Int) throws {
    if let error { throw error }
    progress.update(done)
  }
}
