/// A version of the protocol, as its two bytes on the wire.
package struct TLSVersion: RawRepresentable, Comparable, Hashable, Sendable, CustomStringConvertible {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let ssl3 = TLSVersion(rawValue: 0x0300)
  package static let tls10 = TLSVersion(rawValue: 0x0301)
  package static let tls11 = TLSVersion(rawValue: 0x0302)
  package static let tls12 = TLSVersion(rawValue: 0x0303)
  package static let tls13 = TLSVersion(rawValue: 0x0304)

  package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }

  var isSupported: Bool { self >= .ssl3 && self <= .tls13 }

  /// What the headers of records have: that of TLS 1.2 in TLS 1.3.
  var recordVersion: UInt16 { min(rawValue, TLSVersion.tls12.rawValue) }

  package var description: String {
    switch self {
    case .ssl3: "SSL 3.0"
    case .tls10: "TLS 1.0"
    case .tls11: "TLS 1.1"
    case .tls12: "TLS 1.2"
    case .tls13: "TLS 1.3"
    default: "version 0x" + String(rawValue, radix: 16)
    }
  }
}
