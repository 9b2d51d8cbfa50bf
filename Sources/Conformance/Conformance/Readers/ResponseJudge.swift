import Basics
import ReaderModels

/// The true error responses of a stream, to judge `php` by (docs/spec/readers.md#judgement).
package struct TrueResponses: Sendable {
  package struct Response: Hashable, Sendable {
    /// Offset in the stream, in bytes from 0.
    package var offset: Int
    package var status: UInt8
    package var identifier: UInt32

    package init(offset: Int, status: UInt8, identifier: UInt32) {
      (self.offset, self.status, self.identifier) = (offset, status, identifier)
    }

    package var text: String { "\(status),\(identifier)" }

    func says(_ status: UInt8, _ identifier: UInt32) -> Bool {
      self.status == status && self.identifier == identifier
    }
  }

  package let bytes: [UInt8]
  package let responses: [Response]

  /// - Parameter responses: in stream order.
  package init(bytes: [UInt8], responses: [Response]) {
    self.bytes = bytes
    self.responses = responses
  }

  /// Judges `php` on the stream, cut into these chunks.
  package func judgePHP(cut chunking: Chunking) -> Judgement {
    let reading = PHPReader.read(bytes.span.bytes, cut: chunking)
    guard case .error(_, let status, let identifier) = reading else {
      return judgement(records: 0, correct: 0, difference: responses.isEmpty ? nil : 0, reading)
    }
    let correct = responses.contains { $0.says(status, identifier) } ? 1 : 0
    let agrees = responses.first?.says(status, identifier) == true
    let difference = !agrees ? 0 : responses.count > 1 ? 1 : nil
    return judgement(records: 1, correct: correct, difference: difference, reading)
  }

  private func judgement(
    records: Int, correct: Int, difference: Int?, _ reading: PHPReader.Reading
  ) -> Judgement {
    let difference = difference.map { record in
      FirstDifference(
        record: record, expected: record < responses.count ? responses[record].text : nil,
        emitted: record < records ? reading.text : nil, reason: reason(record, reading))
    }
    return Judgement(
      records: records, correct: correct, missed: responses.count - correct, outcome: .completed,
      firstDifference: difference)
  }

  private func reason(_ record: Int, _ reading: PHPReader.Reading) -> Message {
    switch reading {
    case .short(let sizes): .errorInParts(sizes)
    case .error where record > 0:
      "only the first 6 bytes are read: the error at offset \(responses[record].offset) is never seen"
    case .error(let command, _, _) where command != 8: .commandNotChecked(Int(command))
    case .error: .noErrorBegins(first: responses.first?.offset)
    }
  }
}

extension PHPReader.Reading {
  fileprivate var text: String? {
    guard case .error(_, let status, let identifier) = self else { return nil }
    return "\(status),\(identifier)"
  }
}
