import ArgumentParser
import Basics
import ProviderLogs

/// User-defined names of members and columns of a log: `token=dev,status=result.code`.
package struct LogMappingArgument: ExpressibleByArgument {
  package var mapping = LogMapping()
  package var text = ""
  /// Why the argument is invalid.
  private var message: Message?

  package init() {}

  package init?(argument: String) {
    text = argument
    do {
      mapping = try LogMapping(argument)
    } catch {
      message = error.message
    }
  }

  package func check() throws {
    if let message { throw ValidationError(message) }
  }

  package var defaultValueDescription: String { "none" }
}
