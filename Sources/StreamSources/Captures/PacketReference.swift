import WireBytes

/// Which packet brought something: enough to find it again in the examined file, or in the capture that the
/// file was made from.
package struct PacketReference: Equatable, Sendable {
  /// Its number in the examined file, from 1; nil in an export, which has no packets of its own.
  package var number: Int?
  /// Its number in the capture that the file was made from, from 1; nil where the file does not say.
  package var original: Int?
  /// Nil where the format carries no time (simple packet blocks of pcapng, most exports).
  package var time: CaptureTime?
  /// Which of the inputs that are read as one capture it stands in, from 0; 0 where each is read alone.
  package var input: Int

  package init(number: Int?, original: Int? = nil, time: CaptureTime? = nil, input: Int = 0) {
    self.number = number
    self.original = original
    self.time = time
    self.input = input
  }
}
