import ArgumentParser
import Basics
import PacketCapture
import ProviderLogs
import StreamInputs
import YAML

package struct LineFormsArgument: ExpressibleByArgument {
  package var path: String
  /// The forms, or why they cannot be used.
  package var forms: Result<[LineForm], CommandError>

  package init?(argument: String) {
    path = argument
    do {
      let bytes = try InputFile.content(of: Input(argument).of(option: "--forms"), limit: YAMLText.maxSize)
      forms = .success(try LineForm.read(bytes, name: argument))
    } catch let error as InputError {
      forms = .failure(CommandError("\(argument): \(error.message); expected a file of forms for --forms"))
    } catch {
      forms = .failure(CommandError(.verbatim("\(error)")))
    }
  }

  package func check() throws {
    if case .failure(let failure) = forms { throw ValidationError(failure.message) }
  }
}

/// A regular expression for lines.
struct LinePatternArgument: ExpressibleByArgument {
  var text: String
  var form: LineForm?
  /// Why it cannot be used.
  private(set) var message: Message?

  init?(argument: String) {
    text = argument
    do throws(PatternError) {
      form = try LineForm(pattern: argument)
    } catch {
      let location: Message = error.offset > 0 ? "at byte \(error.offset + 1): " : ""
      message = "--line-pattern: \(location)\(error.message)"
    }
  }
}
