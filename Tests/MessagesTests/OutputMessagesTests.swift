import Messages
import Testing

@Test("Messages about outputs", arguments: Golden.output)
func outputMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let output: [Golden] = [
    Golden(.outputUnnamed, "the name of the output is empty: name a file to write"),
    Golden(
      .outputExists("a.csv"), "a.csv exists already: name another file, or give --force to replace it"),
    Golden(.outputIsDirectory("a"), "a is a directory: name a file to write"),
    Golden(.outputIsBrokenLink("a"), "a is a broken symbolic link"),
    Golden(
      .outputNotCreated("b/a", "No such file or directory"),
      "b/a cannot be created: No such file or directory"),
    Golden(.outputNotWritten("a.csv", "File too large"), "a.csv cannot be written: File too large"),
    Golden(
      .notInChecksums(1),
      "1 input left out of --checksums: standard input, pipes and devices cannot be verified again"),
    Golden(.directoryUnnamed, "streams are written to a directory: name one with -o"),
    Golden(.outputIsNoDirectory("a"), "a is not a directory: name a directory to write streams to"),
    Golden(
      .directoryNotEmpty("a"), "a is not empty: name another directory, or give --force to add files to it"),
    Golden(
      .tooFewFiles(9, for: "reader", needed: 12),
      "a process may have 9 files open at once, and one reader needs 12; raise the limit (ulimit -n)"),
    Golden(
      .fewerJobs(2, of: 4, files: 20, for: "case", each: 5),
      "running 2 instead of 4 cases at once: a process may have 20 files open, and a case needs up to 5 "
        + "(ulimit -n)"),
    Golden(.moreMessages(3), "and 3 more messages"),
  ]
}
