import Analysis
import ArgumentParser
import Basics
import Reports
import TokenStores
import YAML

/// The exit codes (docs/spec/interface.md#exit-codes).
package enum ExitStatus: Int32, Error {
  case done = 0
  /// A finding that `--strict` or `--fail-on` selects, or a difference; of a search, that no token was found.
  case found = 1
  /// An input, an output or a store failed; the messages name it, and the rest was processed.
  case failed = 2
  /// `--max-invalidate` stopped a replay before any change.
  case stopped = 3
  case usage = 64
  case defect = 70

  /// Ends the process with the message and exit code of `error`.
  static func exit(with error: any Error, of root: ParsableCommand.Type) -> Never {
    guard let ending = ending(of: error) else { leave(parserError: error, of: root) }
    leave(ending.status, saying: ending.message)
  }

  /// The exit code for an error that a running command threw.
  package static func of(_ error: any Error) -> ExitStatus { ending(of: error)?.status ?? .defect }

  /// Nil for errors of the parser of arguments, and for defects.
  private static func ending(of error: any Error) -> (status: ExitStatus, message: Message?)? {
    switch error {
    case let status as ExitStatus: return (status, nil)
    case is ClosedPipe: return (.done, nil)
    case let usage as UsageError: return (.usage, usage.message)
    case let mapping as YAMLError: return (.usage, mapping.message)
    case let error as CommandError: return (.failed, error.message)
    case let error as NamedStoreError:
      if case .stopped = error.reason { return (.stopped, error.message) }
      return (.failed, error.message)
    case let error as TokenTableError: return (.failed, error.message)
    default: return nil
    }
  }

  /// Help and version requests, and invalid arguments; anything else is a defect.
  private static func leave(parserError error: any Error, of root: ParsableCommand.Type) -> Never {
    let code = root.exitCode(for: error)
    if code == .success {
      do {
        try OutputFile().write(
          Array((HelpText.arranged(root.fullMessage(for: error)) + "\n").utf8).span.bytes)
        leave(.done)
      } catch {
        exit(with: error, of: root)
      }
    }
    if code == .validationFailure {
      let texts = [root.message(for: error), root.fullMessage(for: error)].map(HelpText.onOneLine)
      for line in HelpText.usageError(texts[0], texts[1]) { Console.say(.verbatim(line)) }
      leave(.usage)
    }
    leave(.defect, saying: "internal error; please report it with the input that caused it: \(error)")
  }

  private static func leave(_ status: ExitStatus, saying message: Message? = nil) -> Never {
    if let message { Console.say(message) }
    UnfinishedFiles.removeAll()
    Basics.exit(status.rawValue)
  }
}

extension InputOptions {
  /// Says what the command did; with `--quiet` only if bytes were lost or the exit code is not 0.
  /// - Throws: as `check`.
  package func end(_ examination: Examination, _ done: Message) throws {
    let isFine = examination.summary.findingCount(.error) == 0 && (try? check(examination)) != nil
    (isFine ? Console.note : Console.say)(examination.closingLine(done))
    try check(examination)
  }

  /// Throws if the inputs or their findings require a non-zero exit code.
  package func check(_ examination: Examination) throws {
    if examination.failures > 0 { throw ExitStatus.failed }
    let severity = failOn.severity ?? (strict ? .error : nil)
    if let severity, examination.summary.findingCount(from: severity) > 0 { throw ExitStatus.found }
  }
}

extension ValidationError {
  package init(_ message: Message) { self.init(message.text) }
}
