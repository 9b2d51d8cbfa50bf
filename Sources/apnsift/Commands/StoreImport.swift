import ArgumentParser
import PacketCapture
import Platform
import Stores
import TokenStores
import WireBytes

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
    let store = try store.openForWriting(
      creates: create, owner: owner.named, insertsUnknown: unknown.insertUnknown)
    try store.check(for: .writing)
    let owner = try owner.owner(in: store)
    var progress = Progress()
    defer { progress.clear() }
    var skipped = SkippedRows()
    let counts = try store.register(
      { visit in
        for file in files {
          try read(file, skipped: &skipped, progress: &progress, visit: visit)
        }
      }, for: owner)
    progress.clear()
    skipped.close()
    Messages.say("imported \(RegistrationOutcomeText.of(counts, in: store.name))\(skipped.summary)")
    if skipped.count > 0 { throw ExitStatus.failed }
  }

  private func read(
    _ path: String, skipped: inout SkippedRows, progress: inout Progress,
    visit: (RawSpan, UInt32) throws -> Void
  ) throws {
    var file = RegistrationFile()
    file.tokenColumn = tokenColumn
    if let registeredColumn {
      file.registeredColumn = registeredColumn
      file.needsRegisteredColumn = true
    }
    file.tokenForm = forms.tokenForm
    file.timeWithoutColumn = at?.seconds ?? UInt32(truncatingIfNeeded: time(nil))
    file.timeForm = forms.timeForm.form
    file.delimiter = csv.delimiter.byte
    do {
      try file.read(path) { token, time in
        guard let time = time ?? at?.seconds else {
          skipped.untimed += 1
          return
        }
        try visit(token, time)
        progress.advance()
      } refuse: { fault in
        guard skipInvalid else { throw fault }
        progress.clear()
        skipped.add(fault, in: path)
      }
    } catch let fault as InputFault {
      throw Failure("\(path): \(fault.placed); nothing was imported")
    }
  }
}

/// Rows that an import left out.
private struct SkippedRows {
  private static let named = 10
  /// Those that cannot be read.
  private(set) var count = 0
  /// Those that say no time.
  var untimed = 0

  mutating func add(_ fault: InputFault, in path: String) {
    count += 1
    if count <= Self.named { Messages.say("\(path): \(fault.placed); left out") }
  }

  /// Says how many were not named.
  func close() {
    if count > Self.named { Messages.say("and \(Count.of(count - Self.named, "row")) more left out") }
  }

  var summary: String {
    var text = count > 0 ? "; \(Count.of(count, "row")) left out that cannot be read" : ""
    if untimed > 0 { text += "; \(Count.of(untimed, "row")) left out without a time (--at says one)" }
    return text
  }
}

/// What a registration of many tokens did, as messages say it.
enum RegistrationOutcomeText {
  static func of(_ counts: RegistrationCounts, in store: String) -> String {
    "\(Count.of(counts.registrations, "token")) in \(store): \(counts.added) new, \(counts.revived) alive again, "
      + "\(counts.raised) with a later time, \(counts.unchanged) unchanged"
      + (counts.unknown > 0 ? ", \(counts.unknown) not in the table (--insert-unknown gives them a row)" : "")
  }
}

extension InputFault {
  /// With its line and column before it.
  var placed: String {
    let column = column.map { ", column \($0)" } ?? ""
    return line.map { "line \($0)\(column): \(message)" } ?? message
  }
}
