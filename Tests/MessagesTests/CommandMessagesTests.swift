import Basics
import Testing

@Test("Messages of commands", arguments: Golden.command)
func commandMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let command: [Golden] = [
    Golden(.commandOfLab("serve"), "'serve' is in apnsift-lab: `apnsift-lab serve …`"),
    Golden(.exclusive("--dead", "--live"), "--dead and --live exclude each other"),
    Golden(.giveOne(of: ["--tap", "--json"]), "--tap and --json exclude each other: give one"),
    Golden(.outOfRange("--tokens", "6", 1...5), "--tokens is 6: give 1 to 5"),
    Golden(.outOfRange("--token-length", "0-32", 1...100), "--token-length is 0-32: give 1 to 100"),
    Golden(.tooSmall("--record", 0, least: 1), "--record is 0: give 1 or more"),
    Golden(.standardInputTwice, "standard input (-) can be read only once"),
    Golden(
      .noSuchZone("berlin", like: ["Europe/Berlin"]),
      "--time-zone: no time zone is named 'berlin'; did you mean Europe/Berlin?"),
    Golden(
      .noSuchZone("Asia/Tokyo", like: []),
      "--time-zone: the tz database (tzdata) has no zone 'Asia/Tokyo'; a name is Europe/Berlin, or UTC"),
    Golden(
      .inputInOutputDirectory("out/a.bin", "out"),
      "out/a.bin is in the output directory out: name another directory"),
    Golden(
      .outputExists("a.csv"), "a.csv exists already: name another file, or give --force to replace it"),
    Golden(
      .outputNotCreated("b/a", "No such file or directory"),
      "b/a cannot be created: No such file or directory"),
    Golden(.outputNotWritten("a.csv", "File too large"), "a.csv cannot be written: File too large"),
    Golden(.cannotOpen("input.bin", "Permission denied"), "cannot open input.bin: Permission denied"),
    Golden(.noMemory, "no memory is left"),
    Golden(
      .columnsDiffer(from: "devices"),
      "the columns of devices differ from those of the removed rows in apnsift_changes"),
    Golden(
      .inRow("id 3", of: "apnsift_changes", "packed has bytes that are not a packed change"),
      "apnsift_changes, id 3: packed has bytes that are not a packed change"),
    Golden(
      .inRow(nil, of: "device_tokens", "app is x'ff', expected text"),
      "device_tokens: app is x'ff', expected text"),
    Golden(.handshakeTooSlow, "the client did not complete the handshake in time"),
    Golden(.notJudged(.verbatim("no bytes")), "not judged: no bytes"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1),
      "record 1: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1, reader: "node"),
      "node, record 1: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 1, reader: "node", chunkSize: 1),
      "node, chunks of 1 byte, record 1: the stream has only 1 tuple"),
    Golden(
      .recordDiffers(.verbatim("the stream has only 1 tuple"), record: 0, reader: "java", chunkSize: 20),
      "java, chunks of 20 bytes, record 0: the stream has only 1 tuple"),
    Golden(
      .emptyTokenReported(at: 38), "the tuple at offset 38 has an empty token and must not be reported"),
    Golden(
      .emptyTokenReported(at: 38, token: 32),
      "the tuple at offset 38 has an empty token and must not be reported: its token consists of the 32 "
        + "bytes after it"),
    Golden(
      .emptyTokenReported(at: 38, token: 1),
      "the tuple at offset 38 has an empty token and must not be reported: its token consists of the 1 byte "
        + "after it"),
    Golden(
      .timeReadAsSigned(4_294_967_295, at: 14, readAs: -1),
      "the time 4294967295 at offset 14 was read as signed: -1"),
  ]
}
