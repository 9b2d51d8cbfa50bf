import NIOCore
import Platform

/// Stands next to the socket, so that a connection can be ended without the farewell of TLS.
final class TransportHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Closes at once.
  func breakOff() { context?.close(promise: nil) }

  /// Closes with a RST: that is what a socket does that does not linger at all (RFC 9293, section 3.10.4,
  /// ABORT).
  func reset() {
    guard let context else { return }
    // On the thread of the channel it is set at once.
    _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    context.close(promise: nil)
  }
}
