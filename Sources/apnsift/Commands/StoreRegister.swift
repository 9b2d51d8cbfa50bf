import ArgumentParser
import StreamSources
import TokenStores
import WireBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
      empty is now.
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
    let store = try store.openForWriting(creates: create)
    try store.check(for: .writing)
    let owner = try owner.owner(in: store)
    let now = UInt32(truncatingIfNeeded: time(nil))
    let counts = try store.register(
      { visit in
        if let csv {
          try RegistrationFile.read(csv, now: now, visit)
        } else {
          for token in tokens { try visit(token.bytes.span.bytes, at?.seconds ?? now) }
        }
      }, for: owner)
    Messages.say(
      "registered \(Count.of(counts.registrations, "token")) in \(store.name): \(counts.added) new, "
        + "\(counts.revived) alive again, \(counts.raised) with a later time, \(counts.unchanged) unchanged")
  }
}

/// Registrations as CSV: the header line `token,registered_at`, then a token a line; an empty time is now.
enum RegistrationFile {
  private static let columns = ["token", "registered_at"]

  static func read(_ path: String, now: UInt32, _ visit: (RawSpan, UInt32) throws -> Void) throws {
    do {
      var lines = try LineReader(path)
      let header = try lines.next() ?? ""
      guard fields(header) == columns else {
        throw InputFault(
          "expected the header line token,registered_at, found '\(header.prefix(80))'", line: 1)
      }
      while let line = try lines.next() {
        if line.isEmpty { continue }
        let (token, time) = try parse(line, at: lines.lineNumber)
        try visit(token.span.bytes, time ?? now)
      }
    } catch let fault as InputFault {
      let place = fault.line.map { "line \($0): " } ?? ""
      throw Failure("\(path): \(place)\(fault.message); nothing was registered")
    }
  }

  private static func fields(_ line: String) -> [String] {
    line.split(separator: ",", omittingEmptySubsequences: false).map { field in
      let isQuoted = field.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
      return String(isQuoted ? field.dropFirst().dropLast() : field)
    }
  }

  /// The token of a line, and its time unless that is empty.
  private static func parse(_ line: String, at number: Int) throws -> (token: [UInt8], time: UInt32?) {
    let fields = fields(line)
    guard (1...columns.count).contains(fields.count) else {
      throw InputFault("expected token,registered_at, found \(fields.count) fields", line: number)
    }
    guard !fields[0].isEmpty, let token = Hex.bytes(fields[0]) else {
      throw InputFault("expected a token in hex, found '\(fields[0])'", line: number)
    }
    guard fields.count > 1, !fields[1].isEmpty else { return (token, nil) }
    guard let time = UTCTime.parse(fields[1]) else {
      throw InputFault(
        "expected seconds since 1970 or a time like 2013-05-01T09:30:00Z, found '\(fields[1])'", line: number)
    }
    return (token, time)
  }
}
