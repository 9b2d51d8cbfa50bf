import Basics

extension Message {
  /// - Parameter problem: a parser's message.
  package static func invalidCaseOptions(_ problem: String) -> Message {
    Message("invalid options: \(problem); \(correctCaseOptions)")
  }

  package static func notAllowedInCase(_ option: String) -> Message {
    Message("'\(option)' is not allowed in a case; \(correctCaseOptions)")
  }

  private static let correctCaseOptions = "correct the options in case.yml"

  package static func caseKeyMissing(_ key: String) -> Message {
    let remedy =
      key == "shows" ? "describe in a sentence what the case shows" : "state the source of its bytes"
    return Message("expected the key \(key), found none; \(remedy)")
  }

  /// - Parameters:
  ///   - problem: one of those below, or of JSON.
  ///   - line, column: from 1.
  package static func invalidExpectation(
    _ problem: Message, line: Int, column: Int, isOtherVersion: Bool
  ) -> Message {
    let remedy =
      isOtherVersion
      ? "it is in another version of the format; --update rewrites it: review the difference"
      : "correct it, or rewrite it with --update"
    return Message("expected.ndjson: line \(line), column \(column): \(problem); \(remedy)")
  }

  /// - Parameter written: how many expectations were written; nil without --update.
  package static func verified(
    cases: Int, written: Int?, asExpected: Int, different: Int, broken: Int
  ) -> Message {
    let written = written.map { "\($0) written, " } ?? ""
    return Message(
      "verified \(Count.of(cases, "case")): \(written)\(asExpected) as expected, \(different) different, "
        + "\(broken) broken")
  }

  /// - Parameter count: directories that could not be walked.
  package static func done(_ result: Message, failedDirectories count: Int) -> Message {
    guard count > 0 else { return result }
    return Message("\(result); \(Count.of(count, "directory")) failed, see above")
  }

  /// What a record is, and where: the parts that it has.
  package static func evidence(
    _ type: String, offset: Int? = nil, direction: String? = nil, stream: Int? = nil, source: String? = nil
  ) -> Message {
    let offset = offset.map { " at offset \($0)" } ?? ""
    let direction = direction.map { " of the \($0)" } ?? ""
    let stream = stream.map { ", stream \($0)" } ?? ""
    let source = source.map { " of \($0)" } ?? ""
    return Message(type + offset + direction + stream + source)
  }

  /// - Parameter limit: in bytes.
  package static func expectationTooLarge(_ limit: Int) -> Message {
    Message("expected.ndjson is larger than \(ByteSize.text(limit)); split the case")
  }

  package static func caseResultTooLarge(_ limit: Int) -> Message {
    Message("the result takes more than \(ByteSize.text(limit)) of NDJSON; split the case")
  }

  /// - Parameter shown: how many are listed.
  package static func differences(_ count: Int, shown: Int) -> Message {
    Message("\(Count.of(count, "difference"))\(count > shown ? ", the first \(shown)" : "")")
  }
}
