import ArgumentParser
import Platform
import Stores

/// `apnsift store import`: registrations from the tables of others.
struct StoreImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Register the tokens of CSV files.",
    discussion: """
      Each file has a header line that names its columns; other columns than those of the token and its time are passed \
      over. All files are one transaction, and all rows belong to --app and --environment. Rows may come in any order, and \
      again: a registration never undoes a later one. A row whose time is empty says of no registration: it is left out, \
      unless --at says a time.

      EXAMPLES
        apnsift store import devices.csv --app com.example.mail --create
        psql -c "COPY devices TO STDOUT CSV HEADER" |
          apnsift store import - --time-form timestamptz --app com.example.mail
        apnsift store import old.csv --token-column device --token-form base64 \\
          --registered-column updated --time-form timestamp:Europe/Berlin \\
          --delimiter ';' --skip-invalid
      """)

  @Argument(help: ArgumentHelp("CSV files; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(help: "The column of the tokens.")
  var tokenColumn = "token"

  @Option(help: "The column that says when a token was registered. (default: registered_at, if there is one)")
  var registeredColumn: String?

  @Option(
    help: """
      When tokens were registered of which a file does not say: RFC 3339, or seconds. (default: now where it has no such \
      column)
      """)
  var at: TimeArgument?

  @OptionGroup var forms: FormOptions

  @OptionGroup var csv: CSVOptions

  @Flag(
    help: "Leave rows out that cannot be read; the exit code is 2 then. Without it, one of them stops all.")
  var skipInvalid = false

  @OptionGroup var store: StoreFileOptions

  @Flag(help: "Make the store, or its table, if missing.")
  var create = false

  @OptionGroup var unknown: UnknownOptions

  @OptionGroup var owner: OwnerOptions

  func run() throws {
    let location = try store.location(
      app: owner.app, environment: owner.environment, insertsUnknown: unknown.insertUnknown)
    let store = try location.openForWriting(creates: create)
    try store.check(for: .writing)
    let owner = try location.owner(in: store)
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
    Messages.say("imported \(counts.text(in: store.name))\(registrations.leftOut)")
    if registrations.skipped > 0 { throw ExitStatus.failed }
  }
}
