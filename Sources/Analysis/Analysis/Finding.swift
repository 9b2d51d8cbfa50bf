import APNsWire
import Basics
import PacketCapture

package struct Finding: Equatable, Sendable {
  package var source: String
  /// Number of the stream in its input, from 0. Nil for a finding about the input itself, which has no direction and
  /// no offset either.
  package var stream: Int?
  package var direction: Direction?
  /// Byte offset from 0 in its direction of the stream, gaps included.
  package var offset: Int?
  /// Bytes of the stream; without an offset, bytes of the file.
  package var length: Int?
  /// Number of its packet in the input file, from 1.
  package var packet: Int?
  /// Byte offset from 0 in the input file (decompressed).
  package var fileOffset: Int?
  package var code: FindingCode
  package var message: Message

  package init(
    source: String, stream: Int? = nil, direction: Direction? = nil, offset: Int? = nil, length: Int? = nil,
    packet: Int? = nil, fileOffset: Int? = nil, code: FindingCode, message: Message
  ) {
    (self.source, self.stream, self.direction, self.offset) = (source, stream, direction, offset)
    (self.length, self.packet, self.fileOffset, self.code) = (length, packet, fileOffset, code)
    self.message = message
  }
}
