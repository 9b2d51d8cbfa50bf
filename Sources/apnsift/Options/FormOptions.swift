import ArgumentParser
import StreamInputs
import TokenStores

/// How texts hold tokens and times.
struct FormOptions: ParsableArguments {
  @Option(help: "hex, upper-hex, spaced-hex, bracketed-hex or base64. All forms of hex are read alike.")
  var tokenForm = TokenForm.hex

  @Option(
    help: """
      auto (seconds and RFC 3339 are read, RFC 3339 is written), seconds, milliseconds, iso, timestamptz, timestamp (in \
      UTC) or timestamp:ZONE, like timestamp:Europe/Berlin.
      """)
  var timeForm = TimeFormArgument(form: nil)
}

/// How CSV is laid out.
struct CSVOptions: ParsableArguments {
  @Option(help: "What parts the columns: one ASCII character, or tab.")
  var delimiter = DelimiterArgument(byte: UInt8(ascii: ","))
}

extension TokenForm: ExpressibleByArgument {}

/// A form of times as an argument.
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

/// What parts the columns of CSV.
struct DelimiterArgument: ExpressibleByArgument {
  var byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  init?(argument: String) {
    if argument == "tab" || argument == "\\t" {
      byte = UInt8(ascii: "\t")
      return
    }
    guard argument.utf8.count == 1, let first = argument.utf8.first, first < 0x80,
      first != UInt8(ascii: "\""), first != UInt8(ascii: "\n"), first != UInt8(ascii: "\r"), first != 0
    else { return nil }
    byte = first
  }

  var defaultValueDescription: String {
    byte == UInt8(ascii: "\t") ? "tab" : String(Unicode.Scalar(byte))
  }
}
