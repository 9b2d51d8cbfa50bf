import APNsWire
import Testing

extension WatchedDecoding {
  /// No breach, and this evidence.
  func expect(_ expected: [Evidence], at location: SourceLocation = #_sourceLocation) {
    #expect(breach == nil, sourceLocation: location)
    // Not compared within #expect, which would print a megabyte.
    let isSame = evidence == expected
    #expect(isSame, sourceLocation: location)
  }
}
