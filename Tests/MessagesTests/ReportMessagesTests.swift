import Basics
import Testing

@Test("Messages about the records of inputs", arguments: Golden.records)
func recordMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages of report", arguments: Golden.report)
func reportMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let records: [Golden] = [
    Golden(.closing(.verbatim("inspected a"), [.noProblems]), "inspected a; no problems found"),
    Golden(
      .closing(.verbatim("inspected a"), [.flagCounts(["odd 1"]), "1 input not read in full, see above"]),
      "inspected a; flags: odd 1; 1 input not read in full, see above"),
    Golden(
      .flagCounts(["resynchronised 5", "implausible-time 2"]),
      "flags: resynchronised 5, implausible-time 2"),
    Golden(.allEmpty(inputs: 1), "the input is empty"),
    Golden(.allEmpty(inputs: 2), "2 inputs are empty"),
    Golden(.recordCounts(feedback: 0), "0 records"),
    Golden(.recordCounts(feedback: 1), "1 record"),
    Golden(.recordCounts(feedback: 0, requests: 200, responses: 1), "200 requests, 1 response"),
    Golden(.recordCounts(feedback: 0, responses: 2), "2 responses"),
    Golden(.recordCounts(feedback: 39, requests: 1), "39 records, 1 request"),
    Golden(.recordCounts(feedback: 0, pushes: 1), "1 push"),
    Golden(.recordCounts(feedback: 1, responses: 1, pushes: 2), "1 record, 1 response, 2 pushes"),
    Golden(.rowCount(1, "stream"), "1 stream"),
    Golden(.rowCount(2, "finding"), "2 findings"),
    Golden(.requestsToResend(1), "1 request to send again"),
    Golden(.requestsToResend(80), "80 requests to send again"),
    Golden(.requestsToResend(0, pushes: 1), "1 push to send again"),
    Golden(.requestsToResend(1, pushes: 3), "1 request, 3 pushes to send again"),
    Golden(.rowCount(2, "push"), "2 pushes"),
    Golden(
      .leftOut(requests: 1, responses: 0, findings: 0),
      "hint: 1 request left out; --records requests has them"),
    Golden(
      .leftOut(requests: 0, responses: 0, findings: 2),
      "hint: 2 findings left out; --findings FILE or --records findings has them"),
    Golden(
      .leftOut(requests: 2, responses: 1, findings: 3),
      "hint: 2 requests, 1 response, 3 findings left out; --records requests, --records responses, "
        + "--findings FILE or --records findings have them"),
    Golden(
      .leftOut(requests: 0, responses: 0, pushes: 2, findings: 0),
      "hint: 2 pushes left out; --records pushes has them"),
    Golden(.showed(locations: 1, findings: 0, more: 0), "showed 1 location with 0 findings"),
    Golden(
      .showed(locations: 2, findings: 1, more: 3),
      "showed 2 locations with 1 finding, 3 more not shown (--places)"),
    Golden(.noBytes(atOffset: 77), "no selected stream has bytes at offset 77"),
    Golden(.noBytes(inPacket: 12), "no packet 12 with bytes of a selected stream"),
    Golden(
      .replayed(
        tuples: 3, tokens: 2, of: "com.example.app (production)", rows: 2, changes: 2, in: "sqlite:s",
        dryRun: false),
      "replayed 3 tuples with 2 distinct tokens of com.example.app (production): 2 rows of sqlite:s changed"),
    Golden(
      .replayed(
        tuples: 1, rejections: 1, tokens: 1, of: "the default app (production)", rows: 1, changes: 1,
        in: "sqlite:s", dryRun: true),
      "dry run of 1 tuple and 1 invalid-token response with 1 distinct token of the default app (production): "
        + "1 row of sqlite:s would change"),
    Golden(
      .replayed(
        tuples: 0, pushes: 1, tokens: 1, of: "a", rows: 1, changes: 1, in: "sqlite:s", dryRun: false),
      "replayed 1 invalidated push with 1 distinct token of a: 1 row of sqlite:s changed"),
    Golden(
      .replayed(
        tuples: 1, pushes: 2, rejections: 0, tokens: 3, of: "a", rows: 3, changes: 3, in: "sqlite:s",
        dryRun: false),
      "replayed 1 tuple, 2 invalidated pushes and 0 invalid-token responses with 3 distinct tokens of a: "
        + "3 rows of sqlite:s changed"),
    Golden(
      .replayed(
        tuples: 0, rejections: 2, tokens: 2, of: "a", rows: 3, changes: 2, in: "sqlite:s", dryRun: false),
      "replayed 0 tuples and 2 invalid-token responses with 2 distinct tokens of a: 3 rows with 2 tokens of "
        + "sqlite:s changed"),
    Golden(
      .replayed(tuples: 2, tokens: 1, of: "a", rows: 2, changes: 1, in: "sqlite:s", dryRun: true),
      "dry run of 2 tuples with 1 distinct token of a: 2 rows with 1 token of sqlite:s would change"),
  ]

  static let report: [Golden] = [
    Golden(
      .reported(inputs: 1, .recordCounts(feedback: 2), redacted: false), "reported 1 input with 2 records"),
    Golden(
      .reported(inputs: 2, .recordCounts(feedback: 1), redacted: true),
      "reported 2 inputs with 1 record, redacted"),
    Golden(
      .outputIsRead("a.bin", "one of the inputs"), "a.bin is one of the inputs: name another file to write"),
  ]
}
