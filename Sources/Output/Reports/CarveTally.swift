import Analysis
import Basics
import PacketCapture

/// Counts carved tuples by confidence and form.
package final class CarveTally: EvidenceSink {
  private var confidences: [Confidence: Int] = [:]
  private var forms: [Carving.CarvedForm: Int] = [:]

  package init() {}

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    guard let carving = records.labels.carving, let confidence = records.confidence else { return }
    confidences[confidence, default: 0] += records.run.count
    forms[carving.form, default: 0] += records.run.count
  }

  /// `certain 38, likely 3 (binary 20, hex 21)`; nil without any.
  package var text: Message? {
    guard !forms.isEmpty else { return nil }
    func list<Key: CaseIterable & Hashable & RawRepresentable<String>>(_ counts: [Key: Int]) -> String {
      Key.allCases.compactMap { key in counts[key].map { "\(key.rawValue) \($0)" } }.joined(separator: ", ")
    }
    return "carved tuples: \(list(confidences)); found as \(list(forms))"
  }
}
