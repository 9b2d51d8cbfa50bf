import PacketCapture

/// One export on its way from blocks to streams. Memory does not grow with the file.
package struct ExportPass: Sendable {
  /// Bytes of the file so far.
  package private(set) var bytesRead = 0

  private let format: ExportFormat
  private var decoder: any ExportDecoder
  private var events = ExportEvents()
  private var streams: ExportStreams

  /// - Parameter serverPorts: ports that servers listen on: they tell the sides apart where the export does
  ///   not.
  package init(_ format: ExportFormat, serverPorts: Set<UInt16> = []) {
    self.format = format
    decoder = format.decoder
    streams = ExportStreams(
      serverPorts: serverPorts, unnamed: format.unnamedConnection, hasGapMarks: format.hasGapMarks)
  }

  /// The file's next bytes.
  package mutating func block(_ block: RawSpan, into receiver: inout some StreamReceiver) throws {
    bytesRead &+= block.byteCount
    var place = 0
    while place < block.byteCount {
      place = decoder.read(block, from: place, into: &events)
      try streams.drain(&events, into: &receiver)
    }
  }

  /// The file has ended: what is open is closed, and what could not be read is added to `faults`.
  package mutating func finish(
    into receiver: inout some StreamReceiver, faults: inout [InputFault]
  ) throws {
    decoder.finish(into: &events)
    try streams.drain(&events, into: &receiver)
    try streams.closeAll(to: &receiver)
    faults += streams.faults
    // What stands around streams is passed over, so that of another text nothing would be left to tell of.
    guard streams.isEmpty, streams.faults.isEmpty, bytesRead > 0 else { return }
    faults.append(
      InputFault(
        "holds no stream: expected \(format.name); --from auto tells by the content what it is", fileOffset: 0
      ))
  }
}
