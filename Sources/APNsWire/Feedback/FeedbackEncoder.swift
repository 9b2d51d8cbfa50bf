/// Writes feedback tuples as the server did.
public enum FeedbackEncoder {
  /// Appends one tuple to `bytes`.
  /// - Parameters:
  ///   - time: seconds since 1970 UTC, unsigned.
  ///   - token: 0 to 65,535 bytes.
  ///   - bytes: what the tuple is appended to.
  /// - Returns: false, with nothing appended, for a token that the length field cannot hold.
  @discardableResult
  public static func append(time: UInt32, token: some Collection<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard let length = UInt16(exactly: token.count) else { return false }
    withUnsafeBytes(of: time.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: token)
    return true
  }
}
