import Basics
import Testing

@Test("What commands say when they are done", arguments: Golden.command)
func commandMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let command: [Golden] = [
    Golden(.inspected(inputs: 1, .verbatim("3 records")), "inspected 1 input with 3 records"),
    Golden(.inspected(inputs: 2, .verbatim("1 record")), "inspected 2 inputs with 1 record"),
    Golden(.exported(.verbatim("1 stream"), inputs: 1), "exported 1 stream of 1 input"),
    Golden(.exported(.verbatim("3 records"), inputs: 2), "exported 3 records of 2 inputs"),
    Golden(.exported(files: 1, inputs: 0), "listed 1 file, 0 inputs read"),
    Golden(.exported(files: 3, inputs: 1), "listed 3 files, 1 input read"),
    Golden(
      .exported(directions: 1, streams: 1, to: "out"), "exported 1 direction of 1 stream to out"),
    Golden(
      .exported(directions: 4, streams: 3, to: "out"), "exported 4 directions of 3 streams to out"),
    Golden(
      .inputInOutputDirectory("out/a.bin", "out"),
      "out/a.bin is in the output directory out: name another directory"),
    Golden(
      .generated(1, "tuple", bytes: 1, to: "a.bin"),
      "generated 1 tuple in 1 byte: a.bin and a.bin.truth.ndjson"),
    Golden(
      .generated(2, "push", "pushes", bytes: 90, to: "a.pcap"),
      "generated 2 pushes in 90 bytes: a.pcap and a.pcap.truth.ndjson"),
    Golden(
      .generated(2, "request", bytes: 90, to: "a.bin"),
      "generated 2 requests in 90 bytes: a.bin and a.bin.truth.ndjson"),
    Golden(.noMemory(forCompression: "gzip"), "out of memory for gzip"),
    Golden(
      .defect("noSuchCase"), "internal error; please report it with the input that caused it: noSuchCase"),
  ]
}
