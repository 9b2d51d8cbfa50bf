import APNsWire
import Basics

package struct LogOptions: Sendable {
  /// What lines are: pushes with their answers, or tokens with the times at which they became invalid.
  package enum LogContent: String, Sendable {
    case pushes
    case reports = "feedback"
  }

  package var kind = LogContent.pushes
  /// Names of the user's own.
  package var mapping = LogMapping()
  /// Forms of the user's own, which are tried before the built-in ones.
  package var forms: [LineForm] = []
  package var hasBuiltInForms = true
  /// The maximum number of steps of a pattern for a line.
  package var patternSteps = LinePattern.defaultSteps
  /// The clock of times without an offset from UTC; without it, they are not read.
  package var zone: LogZone?
  /// The lengths of tokens without a flag.
  package var tokenLengths = TokenLengths.standard
  /// The times of a list without a flag.
  package var plausible = UInt32.min...UInt32.max

  package init() {}

  package var ofLists: LogOptions {
    var options = self
    options.kind = .reports
    return options
  }
}
