import ArgumentParser
import Basics
import PacketCapture
import StreamInputs

/// What `search` searches for, and the inputs, whose bytes are read in no format.
package struct SearchOptions: ParsableArguments {
  @Argument(
    help: .init(
      "Tokens, or their first 8 hex digits or more; then files, directories, or - for standard input.",
      valueName: "token-or-input"))
  var words: [String] = []

  @Option(
    help: .init(
      "List of tokens, one a line; # begins a comment. All words are then inputs.", valueName: "FILE"))
  package var tokens: String?

  @Option(help: .init("List of more inputs, one a line or separated by NUL; repeatable.", valueName: "FILE"))
  var filesFrom: [FilesFromArgument] = []

  @Flag(help: "Print only problems to standard error.")
  var quiet = false

  @Option(help: .init("Memory for the tokens of a list, some 500 bytes each.", valueName: "SIZE"))
  var memory = SizeArgument(1 << 30)
  @Option(.maxMembers) var maxMembers: Int
  @Option(.maxDepth) var maxDepth: Int
  @Option(.maxContent) var maxContent: SizeArgument

  package init() {}

  package mutating func validate() throws {
    Console.isQuiet = quiet
    if let message = filesFrom.lazy.compactMap(\.message).first { throw ValidationError(message) }
    try Limit.maxMembers.check(maxMembers)
    try Limit.maxDepth.check(maxDepth)
    let (leading, problem) = leadingTokens
    if tokens == nil, leading.isEmpty {
      throw ValidationError("\(problem ?? "no token"). Give tokens before inputs, or a list with --tokens")
    }
    if words.count == leading.count, filesFrom.isEmpty {
      throw ValidationError(
        "no input: name files or directories after the tokens, or - for standard input; a file whose name "
          + "looks like a token is ./NAME")
    }
    let lists = filesFrom.map(\.name) + filesFrom.flatMap(\.inputs).map(\.name) + [tokens].compactMap { $0 }
    if (words.dropFirst(leading.count) + lists).count(where: { $0 == "-" }) > 1 {
      throw ValidationError(.standardInputTwice)
    }
  }

  /// The tokens before the first input, and why that is none.
  private var leadingTokens: (found: [SearchedToken], problem: Message?) {
    var found: [SearchedToken] = []
    if tokens != nil { return ([], nil) }
    for word in words {
      do throws(InputError) {
        found.append(try SearchedToken(word.utf8))
      } catch {
        return (found, .about(word, error.message))
      }
    }
    return (found, nil)
  }

  /// - Throws: a `CommandError` about the list of tokens.
  package func searchedTokens() throws -> SearchedTokens {
    guard let tokens else { return SearchedTokens(leadingTokens.found) }
    return try SearchedTokens(Input(tokens).of(option: "--tokens"), memory: memory.bytes)
  }

  package var walk: InputWalk {
    var paths = ArgumentPaths()
    let named = words.dropFirst(leadingTokens.found.count).map { Input(argument: $0, from: &paths) }
    return InputWalk(named + filesFrom.flatMap(\.inputs))
  }

  package var archives: ArchiveLimits {
    var archives = ReadingOptions().archives
    (archives.maxMembers, archives.maxDepth) = (maxMembers, maxDepth)
    archives.maxContent = maxContent.bytes
    return archives
  }
}
