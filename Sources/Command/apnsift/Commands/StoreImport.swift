import ArgumentParser
import Basics
import CommandOptions
import TokenStores

struct StoreImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Register the tokens of CSV files.",
    usage: "apnsift store import [<options>] <file> ...",
    discussion: """
      Each file has a header line with column names; columns other than the token and its time are ignored. All files \
      are one transaction, and all rows belong to --app and --environment. Rows may be in any order and repeat: a \
      registration never replaces a later one. Rows with an empty time are skipped, unless --at gives a time. \
      Tokens are \(TokenText.forms).

      EXAMPLES
        apnsift store import devices.csv --app com.example.mail --create
        psql -c "COPY devices TO STDOUT CSV HEADER" |
          apnsift store import - --time-form timestamptz --app com.example.mail
        apnsift store import old.csv --token-column device --token-form base64 \\
          --registered-column updated --time-form timestamp:Europe/Berlin \\
          --delimiter ';' --skip-invalid
      """)

  @Argument(help: .init("CSV files, or - for standard input.", valueName: "file"))
  var files: [String]

  @Option(help: .init("Column of the tokens.", valueName: "NAME"))
  var tokenColumn = "token"

  @Option(help: .init("Column of the times. (default: registered_at, if present)", valueName: "NAME"))
  var registeredColumn: String?

  @Option(
    help: .init("Time for rows without one, RFC 3339 or Unix seconds. (default: now)", valueName: "TIME"))
  var at: TimeArgument?

  @OptionGroup var forms: FormOptions
  @OptionGroup var csv: CSVOptions

  @Flag(help: "Skip invalid rows and exit with 2, instead of importing nothing.")
  var skipInvalid = false

  @OptionGroup var store: StoreFileOptions

  @Flag(help: "Create the store, or its table, if missing.")
  var create = false

  @OptionGroup var unknown: UnknownOptions
  @OptionGroup var owner: OwnerOptions

  func run() throws {
    let (store, owner) = try store.openForRegistrations(creates: create, unknown, owner)
    var registrations = RegistrationImport()
    registrations.file.tokenColumn = tokenColumn
    if let registeredColumn {
      registrations.file.registeredColumn = registeredColumn
      registrations.file.needsRegisteredColumn = true
    }
    registrations.file.tokenForm = forms.tokenForm
    registrations.file.timeWithoutColumn = at?.seconds ?? UInt32(truncatingIfNeeded: time(nil))
    registrations.file.timeForm = forms.timeForm.form
    registrations.file.delimiter = csv.delimiter.byte
    registrations.time = at?.seconds
    registrations.skipsInvalid = skipInvalid
    let counts = try registrations.run(files, into: store, for: owner)
    Console.say(registrations.message(counts, in: store.name))
    if registrations.skipped > 0 { throw ExitStatus.failed }
  }
}
