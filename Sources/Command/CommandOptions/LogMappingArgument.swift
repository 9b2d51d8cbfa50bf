import ArgumentParser
import Basics
import ProviderLogs

/// User-defined names of members and columns of a log: `token=dev,status=result.code`.
package struct LogMappingArgument: ExpressibleByArgument {
  package var mapping = LogMapping()
  package var text = ""
  /// Why the argument is invalid.
  private var problem: Message?

  package init() {}

  package init?(argument: String) {
    text = argument
    do {
      mapping = try LogMapping(argument)
    } catch {
      problem = Self.message(of: error)
    }
  }

  package func check() throws {
    if let problem { throw ValidationError(problem) }
  }

  package var defaultValueDescription: String { "none" }

  private static func message(of problem: LogMapping.Problem) -> Message {
    switch problem {
    case .notAPair(let pair): "--map has '\(pair)': write NAME=COLUMN, such as token=device"
    case .unknownField(let name):
      "--map has the unknown field '\(name)': known fields are "
        + "\(LogMapping.fields.joined(separator: ", "))"
    case .repeatedField(let name): "--map has '\(name)' twice"
    case .invalidPath(let path):
      "--map has '\(path)': write a name, or up to \(LogMapping.deepest) names with dots, such as "
        + "response.status"
    }
  }
}
