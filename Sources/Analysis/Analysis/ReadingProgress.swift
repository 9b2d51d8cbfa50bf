import Basics

/// The progress of reading inputs, on the terminal.
package final class ReadingProgress {
  private var line = ProgressLine()
  /// Bytes of completed inputs.
  private var done = 0
  /// Bytes of all inputs; nil if one is not a regular file.
  private let total: Int?

  /// - Parameter sizes: of all inputs, in bytes; nil for one that is not a regular file.
  package init(_ sizes: [Int?]) { total = sizes.contains(nil) ? nil : sizes.reduce(0) { $0 &+ ($1 ?? 0) } }

  /// Updates the line: `bytes` of the current input are read.
  package func update(_ bytes: Int) {
    let (done, total) = (done + bytes, total)
    line.update { Self.text(done, of: total, $0) }
  }

  package func finishInput(_ bytes: Int) { done += bytes }

  package func clear() { line.clear() }

  private static func text(_ done: Int, of total: Int?, _ seconds: Double) -> String {
    let rate = Double(done) / seconds
    let speed = "\(ByteSize.text(done)) read, \(ByteSize.text(Int(rate)))/s"
    guard let total, total > 0, rate > 0 else { return speed }
    let left = Int((Double(max(0, total - done)) / rate).rounded(.up))
    let percent = min(100, Int(Double(done) * 100 / Double(total)))
    return "\(percent) % of \(ByteSize.text(total)), \(speed), \(duration(left)) left"
  }

  private static func duration(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
    }
  }
}
