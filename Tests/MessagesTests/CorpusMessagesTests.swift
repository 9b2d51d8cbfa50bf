import Basics
import Testing

@Test("Cases", arguments: Golden.cases + Golden.caseDescriptions)
func caseMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Expectations and differences", arguments: Golden.expectations + Golden.differences + Golden.verified)
func expectationMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let cases: [Golden] = [
    Golden(.cannotOpen("input.bin", "Permission denied"), "cannot open input.bin: Permission denied"),
    Golden(
      .invalidCaseOptions("unknown option '--no'"),
      "invalid options: unknown option '--no'; correct the options in case.yml"),
    Golden(
      .notAllowedInCase("--help"),
      "'--help' is not allowed in a case; correct the options in case.yml"),
  ]

  static let caseDescriptions: [Golden] = [
    Golden(.caseDescriptionTooLarge(1 << 20), "the description is larger than 1.0 MiB; shorten it"),
    Golden(
      .caseKeyMissing("shows"),
      "expected the key shows, found none; describe in a sentence what the case shows"),
    Golden(
      .caseKeyMissing("origin"), "expected the key origin, found none; state the source of its bytes"),
  ]

  static let expectations: [Golden] = [
    Golden(.expectationTooLarge(16 << 20), "expected.ndjson is larger than 16.0 MiB; split the case"),
    Golden(
      .caseResultTooLarge(16 << 20), "the result takes more than 16.0 MiB of NDJSON; split the case"),
    Golden(
      .invalidExpectation(.verbatim("duplicate key"), line: 3, column: 7, isOtherVersion: false),
      "expected.ndjson: line 3, column 7: duplicate key; correct it, or rewrite it with --update"),
    Golden(
      .invalidExpectation(.verbatim("expected 1, found 2"), line: 1, column: 1, isOtherVersion: true),
      "expected.ndjson: line 1, column 1: expected 1, found 2; it is in another version of the format; "
        + "--update rewrites it: review the difference"),
  ]

  static let differences: [Golden] = [
    Golden(.differences(1, shown: 1), "1 difference"),
    Golden(.differences(3, shown: 3), "3 differences"),
    Golden(.differences(9, shown: 3), "9 differences, the first 3"),
    Golden(.evidence("summary"), "summary"),
    Golden(.evidence("finding", source: "input.bin"), "finding of input.bin"),
    Golden(.evidence("stream", stream: 1, source: "input.bin"), "stream, stream 1 of input.bin"),
    Golden(
      .evidence("feedback", offset: 38, direction: "server", stream: 0, source: "input.bin"),
      "feedback at offset 38 of the server, stream 0 of input.bin"),
  ]

  static let verified: [Golden] = [
    Golden(
      .verified(cases: 1, written: nil, asExpected: 1, different: 0, broken: 0),
      "verified 1 case: 1 as expected, 0 different, 0 broken"),
    Golden(
      .verified(cases: 6, written: 3, asExpected: 1, different: 0, broken: 2),
      "verified 6 cases: 3 written, 1 as expected, 0 different, 2 broken"),
    Golden(.done(.verbatim("verified 0 cases"), failedDirectories: 0), "verified 0 cases"),
    Golden(
      .done(.verbatim("verified 0 cases"), failedDirectories: 1),
      "verified 0 cases; 1 directory failed, see above"),
    Golden(
      .done(.verbatim("verified 0 cases"), failedDirectories: 2),
      "verified 0 cases; 2 directories failed, see above"),
  ]
}
