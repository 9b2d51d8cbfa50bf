import Analysis
import ArgumentParser
import Platform
import TokenStores
import YAML

/// The exit codes (docs/spec/interface.md#exit-codes).
enum ExitStatus: Int32, Error {
  case done = 0
  /// There is a finding that `--strict` or `--fail-on` names.
  case found = 1
  /// An input, an output or a store failed; what could be read was processed, and the messages say which.
  case failed = 2
  /// A brake stopped a replay before any change.
  case stopped = 3
  case usage = 64
  /// A defect of apnsift.
  case defect = 70

  /// Ends the process as `error` asks, with its message.
  static func exit(with error: any Error) -> Never {
    switch error {
    case let status as ExitStatus:
      leave(status)
    case let usage as UsageError:
      Messages.say(usage.message)
      leave(.usage)
    case let mapping as YAMLMistake:
      Messages.say(mapping.message)
      leave(.usage)
    case is ClosedPipe:
      leave(.done)
    case let interrupted as Interrupted:
      Interruption.leave(by: interrupted.signal)
    case let failure as Failure:
      Messages.say(failure.message)
      leave(.failed)
    case let failure as StoreError:
      Messages.say(failure.description)
      if case .stopped = failure.fault { leave(.stopped) }
      leave(.failed)
    case let failure as TokenTableError:
      Messages.say(failure.description)
      leave(.failed)
    default:
      leave(parserError: error)
    }
  }

  /// Help and version requests, and arguments that the parser refuses; anything else is a defect.
  private static func leave(parserError error: any Error) -> Never {
    let code = Apnsift.exitCode(for: error)
    if code == .success || code == .validationFailure { Apnsift.exit(withError: error) }
    Messages.say("internal error, please report it with the input that caused it: \(error)")
    leave(.defect)
  }

  private static func leave(_ status: ExitStatus) -> Never {
    Platform.exit(status.rawValue)
  }
}

extension InputOptions {
  /// Throws where the inputs or their findings make the exit code another than 0.
  func check(_ examination: Examination) throws {
    if examination.failures > 0 { throw ExitStatus.failed }
    let severity = failOn.severity ?? (strict ? .error : nil)
    if let severity, examination.summary.findingCount(from: severity) > 0 { throw ExitStatus.found }
  }
}
