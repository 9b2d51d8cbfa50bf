import APNsWire
import Analysis
import ArgumentParser
import Reports
import StreamSources
import TokenStores
import WireBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `apnsift replay`: the dead tokens into a token store.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Mark the dead tokens in a token store, by the rule.",
    discussion: """
      A token dies by a tuple only if the store has no registration of it at or after the tuple's time. Records \
      with flags do not count, and neither do requests and responses of gateways, but for --from-errors. The replay \
      is one transaction; doing it again changes nothing.

      EXAMPLES
        apnsift replay feedback.bin --store sqlite:tokens.sqlite --create
        apnsift replay capture.pcap --store sqlite:tokens.sqlite --dry-run
        apnsift replay dumps/ --app com.example.mail --environment sandbox
        apnsift replay feedback.bin --dry-run --json       what would change
        apnsift replay gateway.pcap --from-errors --known-only --dry-run
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var store: StoreOptions

  @Flag(help: "Make the store, or its table, if missing.")
  var create = false

  @OptionGroup var owner: OwnerOptions

  @Flag(help: "Count what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Count tokens that the store does not know, and do not insert them.")
  var knownOnly = false

  @Flag(help: "Let records with flags count, too.")
  var includeFlagged = false

  @Flag(
    help: """
      Take the tokens, too, that a gateway refused with status 8 (invalid token), as dead from the time on at which \
      the refusal was captured. Off unless asked for, since that status is also what a token of the other environment \
      or of another app gets: such a device lives. Only a captured response that names one request counts.
      """)
  var fromErrors = false

  @Flag(help: "Replay what could be read where an input cannot be read whole.")
  var partial = false

  @Flag(help: "Print the outcome as JSON.")
  var json = false

  func run() throws {
    let store = try store.openForWriting(creates: create, dryRun: dryRun)
    try store.check(for: dryRun ? .reading : .writing)
    let owner = try owner.owner(in: store)
    try warnOfOthers(than: owner, in: store)
    let table = try TokenTable(memory: input.memory.bytes, temporaryDirectory: TemporaryDirectory.path)
    let collector = TokenCollector(table, flaggedCount: includeFlagged)
    let rejections =
      fromErrors
      ? RejectionCollector(table, flaggedCount: includeFlagged, now: UInt32(clamping: time(nil))) : nil
    let sinks: [(any EvidenceSink)?] = [collector, rejections]
    let analyzer = Analyzer(input.analysis, sinks: sinks.compactMap { $0 })
    var examination = Examination(input, hashes: false)
    try examination.run(analyzer)
    if examination.failures > 0, !partial {
      Messages.say(
        "\(store.name) is unchanged: \(Count.of(examination.failures, "input")) could not be read whole, "
          + "see above; --partial replays what could be read")
      throw ExitStatus.failed
    }
    tellErrors(rejections, analyzer.summary)
    let counts = try replay(table, into: store, for: owner)
    let outcome = ReplayOutcomeReport(
      store: store.name, dryRun: dryRun, owner: owner, inputs: examination.inputs.count,
      tuples: analyzer.summary.feedback, rejections: rejections?.count, counts: counts)
    try tell(outcome, examination.closingLine(outcome.sentence, analyzer.summary))
    throw examination.status(analyzer.summary)
  }

  /// What is left out of a gateway's responses, and why.
  private func tellErrors(_ rejections: RejectionCollector?, _ summary: Summary) {
    if let rejections, rejections.timeless > 0 {
      Messages.say(
        "\(Count.of(rejections.timeless, "invalid-token response")) left out: no capture time that can be believed "
          + "says since when the token is dead")
    }
    guard rejections == nil else { return }
    if summary.gateway.responses > 0 {
      Messages.say(
        "\(Count.of(summary.gateway.responses, "error response")) left out; --from-errors takes the tokens that a "
          + "gateway called invalid (see its help first)")
    } else if summary.gateway.requests > 0 {
      Messages.say(
        "\(Count.of(summary.gateway.requests, "request")) left out: they say of no token that it is dead")
    }
  }

  /// Hands the table's dead tokens to the store, in one transaction.
  private func replay(
    _ table: TokenTable, into store: any TokenStore, for owner: AppEnvironment
  ) throws -> ReplayCounts {
    var rejection = Rejection()
    var progress = Progress()
    defer { progress.clear() }
    var counts = try store.replay(
      { visit in
        rejection = Rejection()
        var done = 0
        try table.visit { token, verdict in
          guard let time = verdict.time else { return rejection.add(verdict.flags) }
          try visit(token, time)
          done += 1
          progress.update(tokens: done)
        }
      }, for: owner, options: ReplayOptions(knownOnly: knownOnly, dryRun: dryRun))
    counts.rejected = rejection.count
    progress.clear()
    if let advice = rejection.advice { Messages.say(advice) }
    return counts
  }

  private func tell(_ outcome: ReplayOutcomeReport, _ closingLine: String) throws {
    do {
      let buffer = OutputBuffer(OutputFile())
      try buffer.append(json ? outcome.json.text + "\n" : outcome.table)
      try buffer.flush()
    } catch let failure as Failure {
      // The store has changed all the same, and somebody must say so.
      Messages.say(failure.message)
      Messages.say(closingLine)
      throw ExitStatus.failed
    }
    Messages.say(closingLine)
  }

  /// A store that holds tokens, but none of this app and environment, is most likely meant otherwise.
  private func warnOfOthers(than owner: AppEnvironment, in store: any TokenStore) throws {
    let others = try store.owners()
    guard !others.isEmpty, !others.contains(owner) else { return }
    let known = others.prefix(5).map(\.text).joined(separator: "; ") + (others.count > 5 ? "; …" : "")
    Messages.say(
      "warning: \(store.name) holds no tokens of \(owner.text), only of \(known): are --app and --environment meant?"
    )
  }
}

/// Tokens of which no record counts.
private struct Rejection {
  private(set) var count = 0
  private var flags: RecordFlags = []

  mutating func add(_ flags: RecordFlags) {
    count += 1
    self.flags.formUnion(flags)
  }

  /// Which flags it was, and how to have such records count; nil where there is nothing to say.
  var advice: String? {
    guard count > 0 else { return nil }
    let isLength = flags.contains(.unexpectedTokenLength) || flags.contains(.zeroLengthToken)
    return "\(Count.of(count, "token")) rejected, all records of which carry flags "
      + "(\(flags.codes.joined(separator: ", "))); "
      + (isLength ? "--token-length makes a length normal, " : "")
      + "--include-flagged lets flagged records count"
  }
}
