import APNsWire
import Basics

extension HTTP2Recognition {
  /// The sender of a run from the middle of a stream; nil if no header block shows it.
  package static func sender(of head: RawSpan) -> FrameDecoder.Sender? {
    var decoder = FrameDecoder(.server, beginsStream: false)
    let table = HeaderTable()
    var fields = HeaderFields()
    while true {
      let step = decoder.next(in: head)
      if step == .finished { return nil }
      if step == .needsBytes { decoder.finish() }
      guard case .frame(let frame) = step else { continue }
      if frame.kind == .pushPromise { return .server }
      guard frame.kind == .headers, frame.flags.contains(.endHeaders) else { continue }
      let carry = decoder.carry
      let bytes = frame.window == .chunk ? head : carry.span.bytes
      guard let content = frame.content(in: bytes) else { continue }
      _ = table.read(bytes.extracting(content), into: &fields)
      if fields[.status] != nil { return .server }
      if fields[.path] != nil || fields[.method] != nil { return .client }
    }
  }
}
