import CLibpcap
import Platform

/// A pcap file of one link type and no packets, opened by libpcap.
///
/// Capture files number link types by a list of their own; libpcap's functions want the numbers that the
/// system has for them, which differ for some (RAW is 101 in files, and 12 or 14 in memory). Only where it reads
/// a file does libpcap translate, so it is given one: then the translation is its own.
final class EmptyCapture {
  let handle: OpaquePointer
  /// Bytes of a packet that filters may look at.
  static let snapLength: UInt32 = 262_144

  /// Nil where libpcap has no memory for it.
  init?(linkType: LinkType) {
    let words: [UInt32] = [
      0xa1b2_c3d4, 2 | 4 << 16, 0, 0, Self.snapLength, UInt32(linkType.rawValue),
    ]
    var bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let file = fmemopen(&bytes, bytes.count, "r") else { return nil }
    // It reads the header at once and nothing later, so that `bytes` need not live on.
    guard let handle = pcap_fopen_offline(file, &message) else {
      fclose(file)
      return nil
    }
    self.handle = handle
  }

  deinit { pcap_close(handle) }

  /// The link type by libpcap's number.
  var dataLink: Int32 { pcap_datalink(handle) }
}

extension LinkType {
  static let ethernet = LinkType(rawValue: 1)

  /// libpcap's short name, `EN10MB`; `link type 4711` where it has none.
  package var name: String {
    describe { pcap_datalink_val_to_name($0) }
  }

  /// What libpcap calls it in words, `Ethernet`; `link type 4711` where it knows none.
  package var text: String {
    describe { pcap_datalink_val_to_description($0) }
  }

  private func describe(_ words: (Int32) -> UnsafePointer<CChar>?) -> String {
    guard let capture = EmptyCapture(linkType: self), let found = words(capture.dataLink) else {
      return "link type \(rawValue)"
    }
    return String(cString: found)
  }
}
