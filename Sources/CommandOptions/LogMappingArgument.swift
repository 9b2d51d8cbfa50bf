import ArgumentParser
import Messages
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
    case .notAPair(let pair): .mappingIsNoPair(pair)
    case .unknownField(let name): .mappingOfUnknownField(name, known: LogMapping.fields)
    case .repeatedField(let name): .mappedTwice(name)
    case .invalidPath(let path): .mappedPathIsInvalid(path, deepest: LogMapping.deepest)
    }
  }
}
