import ArgumentParser
import Basics
import CommandOptions
import TokenStores

struct StoreRegister: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Register tokens, as an app does.",
    usage: "apnsift store register [<options>] [<token> ...]",
    discussion: """
      A registration moves registered_at to the later time, and makes a token valid again unless it was invalidated \
      later.

      EXAMPLES
        apnsift store register TOKEN --at 2019-05-01T09:30:00Z
        apnsift store register --csv devices.csv --app com.example.mail

      The CSV file has the header line token,registered_at. Times are Unix seconds or RFC 3339; an empty time means \
      now. Use `store import` for files with other columns or forms.
      """)

  @Argument(help: .init("Tokens: \(TokenText.forms).", valueName: "token"), transform: tokenArgument)
  var tokens: [[UInt8]] = []

  @Option(
    help: .init("Registration time: RFC 3339, a date or Unix seconds. (default: now)", valueName: "TIME"),
    transform: TimeArgument.parsed)
  var at: TimeArgument?

  @Option(help: .init("CSV file with tokens and times, or - for standard input.", valueName: "FILE"))
  var csv: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Create the store, or its table, if missing.")
  var create = false

  @OptionGroup var unknown: UnknownOptions
  @OptionGroup var owner: OwnerOptions

  mutating func validate() throws {
    guard tokens.isEmpty != (csv == nil) else { throw ValidationError("give either tokens or --csv FILE") }
    guard csv == nil || at == nil else {
      throw ValidationError("--at and --csv exclude each other: the CSV file has the times")
    }
    if let message = tokens.lazy.compactMap(RegistrationFile.message).first {
      throw ValidationError(message.text)
    }
  }

  func run() throws {
    let (store, owner) = try store.openForRegistrations(creates: create, unknown, owner)
    let now = UInt32(truncatingIfNeeded: time(nil))
    let counts: RegistrationCounts
    if let csv {
      var registrations = RegistrationImport()
      registrations.file.needsRegisteredColumn = true
      registrations.file.allowsShortLines = true
      registrations.time = now
      counts = try registrations.run([csv], into: store, for: owner)
    } else {
      counts = try store.register(
        { visit in for token in tokens { try visit(token.span.bytes, StoreTime(at?.seconds ?? now)) } },
        for: owner)
    }
    Console.say("registered \(counts.message(in: store.name))")
  }
}
