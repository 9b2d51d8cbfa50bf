import ArgumentParser
import PacketCapture
import Platform
import Stores
import TokenStores
import WireBytes

/// `apnsift store register`: tokens that are alive, and since when.
struct StoreRegister: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Register tokens, as when their apps come forward with them.",
    discussion: """
      A registration raises registered_at to the later time, and brings a token back to life that did not die \
      later.

      EXAMPLES
        apnsift store register TOKEN --at 2019-05-01T09:30:00Z
        apnsift store register --csv devices.csv --app com.example.mail

      The file has the header line token,registered_at and a token a line; times are seconds or RFC 3339, \
      empty is now. Files with other columns or forms are for `store import`.
      """)

  @Argument(help: "Tokens in hex; blanks and <> are passed over.")
  var tokens: [TokenArgument] = []

  @Option(help: "When they were registered: RFC 3339, or seconds since 1970. (default: now)")
  var at: TimeArgument?

  @Option(help: "Read tokens and times from a CSV file, or - for standard input.")
  var csv: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Make the store, or its table, if missing.")
  var create = false

  @OptionGroup var unknown: UnknownOptions

  @OptionGroup var owner: OwnerOptions

  mutating func validate() throws {
    guard tokens.isEmpty != (csv == nil) else {
      throw ValidationError("Give tokens, or --csv FILE with tokens; one of the two.")
    }
    guard csv == nil || at == nil else {
      throw ValidationError("--at goes with tokens as arguments; the file of --csv has times of its own.")
    }
  }

  func run() throws {
    let location = try store.location(
      app: owner.app, environment: owner.environment, insertsUnknown: unknown.insertUnknown)
    let store = try location.openForWriting(creates: create)
    try store.check(for: .writing)
    let owner = try location.owner(in: store)
    let now = UInt32(truncatingIfNeeded: time(nil))
    var progress = TokenProgress()
    defer { progress.clear() }
    let counts = try store.register(
      { visit in
        if let csv {
          try Self.read(csv) { token, time in
            try visit(token, time ?? now)
            progress.advance()
          }
        } else {
          for token in tokens { try visit(token.bytes.span.bytes, at?.seconds ?? now) }
        }
      }, for: owner)
    progress.clear()
    Messages.say("registered \(counts.text(in: store.name))")
  }

  /// The columns have their names and their order here; `store import` takes any others.
  private static func read(_ path: String, visit: (RawSpan, UInt32?) throws -> Void) throws {
    do {
      var file = RegistrationFile()
      file.needsRegisteredColumn = true
      file.allowsShortLines = true
      file.header = ["token", "registered_at"]
      try file.read(path, visit: visit) { throw $0 }
    } catch let fault as InputFault {
      let place = fault.line.map { "line \($0): " } ?? ""
      throw Failure("\(path): \(place)\(fault.message); nothing was registered")
    }
  }
}
