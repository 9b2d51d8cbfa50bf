import Basics
import Testing

@Test("Messages about replays", arguments: Golden.replayInputs + Golden.replayTokens)
func replayMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let replayInputs: [Golden] = [
    Golden(.exclusive("--dead", "--live"), "--dead and --live exclude each other"),
    Golden(
      .storeUnchanged("sqlite:a", unreadable: 1),
      "sqlite:a is unchanged: 1 input could not be read in full, see above; --partial replays the readable part, --skip-unreadable the other inputs"
    ),
    Golden(
      .storeWouldBeUnchanged("sqlite:a", unreadable: 2),
      "the replay would leave sqlite:a unchanged: 2 inputs could not be read in full, see above; --partial replays the readable part, --skip-unreadable the other inputs"
    ),
    Golden(.alreadyReplayed(by: 3), "already replayed by replay 3"),
    Golden(.inputSkipped("a.bin", replayedBy: 3), "a.bin: skipped: already replayed by replay 3"),
    Golden(.inputsSkipped(2, replayedBy: [3]), "2 inputs skipped: already replayed by replay 3"),
    Golden(
      .inputsSkipped(8, replayedBy: Array(1...8)),
      "8 inputs skipped: already replayed by replays 1, 2, 3, 4, 5, 6, 7, 8"),
    Golden(
      .inputsSkipped(9, replayedBy: Array(1...9)),
      "9 inputs skipped: already replayed by replays 1, 2, 3, 4, 5, 6, 7, 8, …"),
  ]

  static let replayTokens: [Golden] = [
    Golden(
      .tokensRejected(1, flags: ["unexpected-token-length"], hasLength: true),
      "1 token rejected: every record has flags (unexpected-token-length); --token-length accepts a length, --include-flagged accepts flagged records"
    ),
    Golden(
      .tokensRejected(2, flags: ["resynchronised", "implausible-timestamp"], hasLength: false),
      "2 tokens rejected: every record has flags (resynchronised, implausible-timestamp); --include-flagged accepts flagged records"
    ),
    Golden(
      .tokensOfAnotherOwner(
        1, of: 1, in: "sqlite:a", as: "sandbox", andOthers: false, notOf: "production"),
      "warning: 1 of 1 token of the input that were looked up are in sqlite:a as tokens of sandbox, and not of production: are --app and --environment meant?"
    ),
    Golden(
      .tokensOfAnotherOwner(
        3, of: 4, in: "sqlite:a", as: "mail, sandbox", andOthers: true, notOf: "mail, production"),
      "warning: 3 of 4 tokens of the input that were looked up are in sqlite:a as tokens of mail, sandbox and others, and not of mail, production: are --app and --environment meant?"
    ),
    Golden(
      .noTokensOfOwner("mail, production", in: "sqlite:a", known: ["a, sandbox", "b, sandbox"]),
      "warning: sqlite:a has no tokens of mail, production, only of a, sandbox; b, sandbox: are --app and --environment meant?"
    ),
    Golden(
      .noTokensOfOwner("x", in: "sqlite:a", known: ["a", "b", "c", "d", "e", "f"]),
      "warning: sqlite:a has no tokens of x, only of a; b; c; d; e; …: are --app and --environment meant?"),
    Golden(
      .tokensNotInStore(11, of: 20, in: "sqlite:a", moreLiveThan: 1000, of: "mail, production"),
      "warning: 11 of 20 tokens of the input that were looked up are not in sqlite:a, which has more than 1000 live tokens of mail, production: another app, environment, or store?"
    ),
  ]
}
