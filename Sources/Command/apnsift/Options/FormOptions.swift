import ArgumentParser
import StreamInputs
import TokenStores

/// Text forms of tokens and times.
struct FormOptions: ParsableArguments {
  @Option(help: .init("Form of tokens; any is read, short base64 only as base64.", valueName: "FORM"))
  var tokenForm = TokenForm.hex
  @Option(
    help: .init(
      "Form of times: auto, seconds, milliseconds, iso, timestamptz or timestamp[:ZONE].", valueName: "FORM"))
  var timeForm = TimeFormArgument(form: nil)
}

struct CSVOptions: ParsableArguments {
  @Option(help: .init("Column separator: an ASCII character, or tab.", valueName: "CHAR"))
  var delimiter = DelimiterArgument(byte: UInt8(ascii: ","))
}

extension TokenForm: ExpressibleByArgument {}

struct TimeFormArgument: ExpressibleByArgument {
  /// Nil is `auto`.
  var form: TimeForm?

  init(form: TimeForm?) { self.form = form }

  init?(argument: String) {
    if argument == "auto" { return }
    guard let form = TimeForm(argument) else { return nil }
    self.form = form
  }

  var defaultValueDescription: String { form?.name ?? "auto" }
}

/// The separator of CSV columns.
struct DelimiterArgument: ExpressibleByArgument {
  var byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  init?(argument: String) {
    let text = argument == "tab" || argument == "\\t" ? "\t" : argument
    guard text.utf8.count == 1, let first = text.utf8.first, first < 0x80,
      first != UInt8(ascii: "\""), first != UInt8(ascii: "\n"), first != UInt8(ascii: "\r"), first != 0
    else { return nil }
    byte = first
  }

  var defaultValueDescription: String { byte == UInt8(ascii: "\t") ? "tab" : String(Unicode.Scalar(byte)) }
}
