import Basics
import NIOCore

/// The handler next to the socket, which ends a connection without a TLS closing alert.
final class TransportHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Closes at once.
  func breakOff() { context?.close(promise: nil) }

  /// Closes with a RST, by a linger time of 0 (RFC 9293, section 3.10.4, ABORT).
  func reset() {
    guard let context else { return }
    // On the channel's thread it takes effect immediately.
    _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    context.close(promise: nil)
  }
}
