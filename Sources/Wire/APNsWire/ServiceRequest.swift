import WireBytes

/// What a request over HTTP/2 asks of the service: the table of its paths, methods and statuses
/// (docs/spec/pushes.md#requests).
package enum ServiceRequest: String, BitwiseCopyable, CaseIterable, Sendable {
  case push, broadcast
  /// What is asked of the channels of an app.
  case create, read, list, delete
  /// One for a channel, without a method that is known.
  case channel

  package enum Kind: String, BitwiseCopyable, CaseIterable, Sendable { case push, broadcast, channel }

  /// Those for channels that are known.
  package static let operations: [ServiceRequest] = [.create, .read, .list, .delete]

  package var kind: Kind {
    switch self {
    case .push: .push
    case .broadcast: .broadcast
    case .create, .read, .list, .delete, .channel: .channel
    }
  }

  /// Empty if it is not known.
  package var method: StaticString {
    switch self {
    case .push, .broadcast, .create: "POST"
    case .read, .list: "GET"
    case .delete: "DELETE"
    case .channel: ""
    }
  }

  /// What is before and after the token of a push, or the bundle id of an app.
  package var path: (start: StaticString, end: StaticString) {
    switch self {
    case .push: ("/3/device/", "")
    case .broadcast: ("/4/broadcasts/apps/", "")
    case .create, .read, .delete, .channel: ("/1/apps/", "/channels")
    case .list: ("/1/apps/", "/all-channels")
    }
  }

  /// Finds the request with this path, and what of the path is the token or the bundle id; nil for a path of another
  /// service.
  /// - Parameter method: nil if it is not known. Only channels are distinguished by it.
  package static func find(
    _ path: Range<Int>, method: Range<Int>?, in bytes: RawSpan
  ) -> (request: ServiceRequest, subject: Range<Int>)? {
    for request in [push, broadcast, list, channel] {
      guard let subject = request.subject(of: path, in: bytes) else { continue }
      guard request == .channel, let method else { return (request, subject) }
      let named = [create, read, delete].first { PushText.matches(method, $0.method, in: bytes) }
      return (named ?? .channel, subject)
    }
    return nil
  }

  private func subject(of path: Range<Int>, in bytes: RawSpan) -> Range<Int>? {
    let (start, end) = self.path
    let (first, last) = (start.utf8CodeUnitCount, end.utf8CodeUnitCount)
    guard path.count >= first + last, PushText.matches(path.prefix(first), start, in: bytes),
      PushText.matches(path.suffix(last), end, in: bytes)
    else { return nil }
    let subject = path.dropFirst(first).dropLast(last)
    // The name of an app has no slash.
    return last > 0 && subject.contains { bytes.byte(at: $0) == UInt8(ascii: "/") } ? nil : subject
  }
}
