import ArgumentParser
import Basics

/// Starts a program, and ends it with its exit code.
package enum Program {
  package static let version = "1.0.0"

  /// Runs `body` with the arguments; an error ends the process.
  /// - Parameter root: the command that has all others.
  package static func start(_ root: ParsableCommand.Type, _ body: ([String]) throws -> Void) {
    Console.program = root._commandName
    StandardStreams.fillGaps()
    // Let write(2) report a closed pipe and the file size limit instead of a signal.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      // Swift finds them by /proc/self/maps, and without it has none, not even the name of the command.
      if CommandLine.argc == 0 {
        throw CommandError(
          "the arguments cannot be read: expected /proc, of which Linux gives them in /proc/self/maps; "
            + "mount it")
      }
      let arguments = Array(CommandLine.arguments.dropFirst())
      // The parser would first look at every option of a command: two thirds of the time.
      if arguments == ["--version"] { return try OutputFile().write(Array("\(version)\n".utf8).span.bytes) }
      try body(arguments)
    } catch {
      ExitStatus.exit(with: error, of: root)
    }
  }

  package static func command(
    _ arguments: [String], of root: ParsableCommand.Type
  ) throws -> any ParsableCommand {
    // The parser takes the `h` of `-push.bin` for --help.
    let short = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && !$0.hasPrefix("--") }
    if let file = short.first(where: { $0.count > 2 && $0.contains("h") }) {
      throw UsageError("'\(file)' begins with a dash and is no option: write ./\(file) for a file")
    }
    let named = try CommandNames.named(arguments, of: root)
    let command: any ParsableCommand
    do {
      // From the root, the parser looks at the options more often, a quarter of a short run; but its errors name all words.
      command = try named.flatMap { try? $0.parse($1) } ?? root.parseAsRoot(arguments)
    } catch {
      guard root.exitCode(for: error) == .validationFailure else { throw error }
      throw UnknownOption.error(in: arguments, of: root) ?? error
    }
    try RepeatedOption.check(arguments, of: type(of: command))
    return command
  }

  package static func run(_ command: some ParsableCommand) throws {
    try Interruption.arm()
    var command = command
    try command.run()
  }
}
