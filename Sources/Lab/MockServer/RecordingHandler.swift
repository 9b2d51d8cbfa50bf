import Basics
import Generator
import NIOCore
import Synchronization

/// A capture of the bytes that clients and server send through their sockets.
package final class ServedCapture: Sendable {
  private let writer: Mutex<ConnectionWriter>

  /// - Parameter output: keeps its errors until its own end.
  package init(_ output: sending any GeneratorOutput) throws {
    writer = Mutex(try ConnectionWriter(output))
  }

  package func add(keyLog lines: [UInt8]) { write { writer, _ in try writer.add(keyLog: lines) } }

  /// Nil after an error.
  /// - Parameter add: gets the time in nanoseconds since 1970.
  @discardableResult fileprivate func write<Written: Sendable>(
    _ add: @Sendable (inout ConnectionWriter, _ time: Int) throws -> Written
  ) -> Written? {
    let now = ProcessFacts.now()
    let time = Int(now.seconds) * 1_000_000_000 + Int(now.nanoseconds)
    return writer.withLock { try? add(&$0, time) }
  }
}

/// Between the socket and all other handlers: writes what one connection reads and writes to a capture.
final class RecordingHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let capture: ServedCapture
  private var connection: ConnectionWriter.Connection?
  /// What was read last. It is written after the secrets that its bytes give, so that a reader has them in time.
  private var unwritten: [UInt8] = []
  private var hasEnded = (client: false, server: false)
  /// Whether the server closes with a RST.
  var isReset = false

  init(_ capture: ServedCapture) { self.capture = capture }

  func channelActive(context: ChannelHandlerContext) {
    if let client = context.remoteAddress?.end, let server = context.localAddress?.end {
      connection = capture.write { try $0.open(client: client, server: server, at: $1) }
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwritten = Array(unwrapInboundIn(data).readableBytesView)
    context.fireChannelRead(data)
    writeRead()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    writeRead()
    if case .byteBuffer(let bytes) = unwrapOutboundIn(data), !hasEnded.server {
      add(Array(bytes.readableBytesView), isFromServer: true)
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { end(isFromServer: false) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error.isReset { end(isFromServer: false, isReset: true) }
    context.fireErrorCaught(error)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    writeRead()
    if mode != .input { end(isFromServer: true, isReset: isReset) }
    context.close(mode: mode, promise: promise)
  }

  private func writeRead() {
    let bytes = unwritten
    unwritten = []
    if !hasEnded.client { add(bytes, isFromServer: false) }
  }

  private func add(_ bytes: [UInt8], isFromServer: Bool) {
    guard let given = connection, !bytes.isEmpty else { return }
    connection = capture.write { try $0.add(bytes, isFromServer: isFromServer, to: given, at: $1) }
  }

  private func end(isFromServer: Bool, isReset: Bool = false) {
    guard let given = connection, !(isFromServer ? hasEnded.server : hasEnded.client) else { return }
    connection = capture.write {
      try $0.end(isFromServer: isFromServer, isReset: isReset, of: given, at: $1)
    }
    if isFromServer || isReset { hasEnded.server = true }
    if !isFromServer || isReset { hasEnded.client = true }
  }
}

extension SocketAddress {
  fileprivate var end: ConnectionEnd? {
    guard let port, let addressBytes else { return nil }
    return ConnectionEnd(address: addressBytes, port: UInt16(port))
  }
}
