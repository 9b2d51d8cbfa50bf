import Basics
import NIOCore

/// The handler next to the socket: it ends a connection without a TLS closing alert, and notes an alert that the client
/// sent unencrypted.
final class TransportHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The handler below, if there is a capture.
  private let recording: RecordingHandler?
  private var context: ChannelHandlerContext?
  /// Why the client refused the certificate, if it did so in the clear: with TLS 1.3 the library takes that for an
  /// encrypted record that fails.
  private(set) var refusal: Message?

  init(recording: RecordingHandler?) { self.recording = recording }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    // RFC 8446, sections 5.1 and 6: content type 21, a version, the length 2, the level and the description.
    if bytes.readableBytes == 7, let record = bytes.getBytes(at: bytes.readerIndex, length: 7),
      record[0] == 21, record[1] == 3, let reason = Self.alerts[record[6]]
    {
      refusal = .certificateRefused("alert \(record[6]), \(reason)")
    }
    context.fireChannelRead(data)
  }

  /// The alerts about certificates, by their number (RFC 8446, section 6).
  private static let alerts: [UInt8: String] = [
    42: "bad certificate", 43: "unsupported certificate", 44: "certificate revoked",
    45: "certificate expired", 46: "certificate unknown", 48: "unknown CA",
  ]

  func breakOff() { context?.close(promise: nil) }

  /// Closes with a RST, by a linger time of 0 (RFC 9293, section 3.10.4, ABORT).
  func reset() {
    guard let context else { return }
    recording?.isReset = true
    // On the channel's thread it takes effect immediately.
    _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    context.close(promise: nil)
  }
}
