import APNsWire

extension HTTP2Recognition {
  /// The sender of a run from the middle of a stream; nil if no header block shows it.
  package static func sender(of head: RawSpan) -> Direction? {
    var decoder = FrameDecoder(.server, beginsStream: false)
    let table = HeaderTable()
    var fields = HeaderFields()
    var sender: Direction?
    decoder.decode(whole: head) { step, bytes in
      guard sender == nil, case .record(.frame(let frame)) = step else { return }
      if frame.kind == .pushPromise { sender = .server }
      guard frame.kind == .headers, frame.flags.contains(.endHeaders), let content = frame.content(in: bytes)
      else { return }
      _ = table.read(bytes.extracting(content), into: &fields)
      if fields[.status] != nil {
        sender = .server
      } else if fields[.path] != nil || fields[.method] != nil {
        sender = .client
      }
    }
    return sender
  }
}
