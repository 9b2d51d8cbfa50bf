import ArgumentParser
import Basics
import ProviderLogs

/// User-defined names of members and columns of a log: `token=dev,status=result.code`.
struct LogMappingArgument: ExpressibleByArgument {
  var mapping = LogMapping()
  var text = ""
  /// Why the argument is invalid.
  private(set) var message: Message?

  init() {}

  init?(argument: String) {
    text = argument
    do {
      mapping = try LogMapping(argument)
    } catch {
      message = error.message
    }
  }

  var defaultValueDescription: String { "none" }
}
