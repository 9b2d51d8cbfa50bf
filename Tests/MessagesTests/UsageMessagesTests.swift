import Basics
import Testing

@Test("Messages about wrong arguments", arguments: Golden.arguments)
func argumentMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about wrong arguments of one command", arguments: Golden.argumentsOfCommands)
func commandArgumentMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let arguments: [Golden] = [
    Golden(
      .unknownCommand("tokens", nearest: nil),
      "'tokens' is neither a command nor a file (`apnsift help` lists all commands)"),
    Golden(
      .unknownCommand("inspct", nearest: "inspect"),
      "'inspct' is neither a command nor a file; the nearest is 'inspect' (`apnsift help` lists all commands)"
    ),
    Golden(
      .unknownSubcommand("tokens", of: "apnsift store", nearest: nil),
      "'tokens' is not a command of apnsift store (`apnsift store --help` lists them all)"),
    Golden(
      .unknownSubcommand("shwo", of: "apnsift store", nearest: "show"),
      "'shwo' is not a command of apnsift store; the nearest is 'show' "
        + "(`apnsift store --help` lists them all)"),
    Golden(.commandOfLab("serve"), "'serve' is in apnsift-lab: `apnsift-lab serve …`"),
    Golden(
      .unknownOption("-x", of: "apnsift export"),
      "unknown option '-x' (`apnsift export --help` lists all options)"),
    Golden(
      .unknownOption("--sed", of: "apnsift generate", nearest: "--seed"),
      "unknown option '--sed'; did you mean '--seed'? (`apnsift generate --help` lists all options)"),
    Golden(
      .optionBeforeCommand("--colums", of: "apnsift export", nearest: "--columns"),
      "unknown option '--colums'; options follow the command: `apnsift export --columns …` "
        + "(`apnsift export --help` lists all options)"),
    Golden(
      .unknownOption(
        "--columns", of: "apnsift inspect", knownTo: ["apnsift export", "apnsift store export"]),
      "unknown option '--columns'; it is an option of `apnsift export`, `apnsift store export` "
        + "(`apnsift inspect --help` lists all options)"),
    Golden(.outOfRange("--tokens", "6", 1...5), "--tokens is 6: give 1 to 5"),
    Golden(.outOfRange("--token-length", "0-32", 1...100), "--token-length is 0-32: give 1 to 100"),
    Golden(.tooSmall("--record", 0, least: 1), "--record is 0: give 1 or more"),
    Golden(.standardInputTwice, "standard input (-) can be read only once"),
    Golden(
      .earliestAfterLatest(200, 100),
      "--earliest 1970-01-01T00:03:20Z is after --latest 1970-01-01T00:01:40Z"),
    Golden(
      .outputOfOtherFormat("--findings", "a.json", named: "json", format: "csv"),
      "--findings a.json names a .json file, but the output is csv: name a .csv file "
        + "(`export` writes csv, json, ndjson and arrow, `report` writes html)"),
    Golden(
      .outputOfOtherFormat("-o", "a.json", named: "json", format: "csv", chosenBy: "-t csv"),
      "-o a.json names a .json file, but the output is csv: leave out -t csv, or rename the file "
        + "(`export` writes csv, json, ndjson and arrow, `report` writes html)"),
  ]

  static let argumentsOfCommands: [Golden] = [
    Golden(.outputsAreSame("-o", "--findings"), "-o and --findings name the same file"),
    Golden(
      .noSuchZone("berlin", like: ["Europe/Berlin"]),
      "--time-zone: no time zone is named 'berlin'; did you mean Europe/Berlin?"),
    Golden(
      .noSuchZone("Asia/Tokyo", like: []),
      "--time-zone: this system has no tz database, which has 'Asia/Tokyo'; install tzdata, or give UTC"),
    Golden(
      .outputContradicts("a.gz", "--compression zstd"),
      "-o a.gz contradicts --compression zstd: leave that out, or rename the file"),
    Golden(
      .timesNotPlausible(1_245_196_800...1_619_740_800),
      "--earliest and --latest must be from 2009-06-17T00:00:00Z to 2021-04-30T00:00:00Z, the plausible "
        + "times of the decoding rules"),
  ]
}
