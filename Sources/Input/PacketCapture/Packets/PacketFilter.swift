import Basics
import CLibpcap

/// A filter in libpcap's language (`--filter`), compiled by libpcap for each link type in the capture.
///
/// libpcap looks up names in it (`host example.com`) as tcpdump does.
package struct PacketFilter {
  /// A filter for one link type; of NULL, for headers in one byte order.
  private final class Program {
    private let libpcap: Libpcap
    private var code = bpf_program()

    init(_ expression: String, for key: Key) throws(InputError) {
      guard let capture = EmptyCapture(linkType: key.linkType, order: key.order) else {
        throw InputError("libpcap cannot begin a filter: out of memory")
      }
      libpcap = capture.libpcap
      let optimize: Int32 = 1
      guard
        libpcap.pcap_compile(capture.handle, &code, expression, optimize, PacketFilter.unknownNetmask) == 0
      else { throw InputError(.verbatim(PacketFilter.bounded(capture.message))) }
    }

    deinit { libpcap.pcap_freecode(&code) }

    func matches(_ header: inout pcap_pkthdr, _ bytes: UnsafePointer<UInt8>) -> Bool {
      libpcap.pcap_offline_filter(&code, &header, bytes) != 0
    }
  }

  private struct Key: Hashable {
    var linkType: LinkType
    var order = FileByteOrder.little
  }

  /// Link types that are tried before a packet is read: an expression that compiles for one of them is accepted.
  private static let usual: [UInt16] = [1, 101, 113, 276, 0, 108, 105, 127, 9, 228, 229, 239, 252]
  /// More link types than this are refused: a capture has one or two.
  private static let maxLinkTypes = 256
  /// No netmask is known, so `ip broadcast` does not compile.
  fileprivate static let unknownNetmask: UInt32 = 0xffff_ffff
  private static let maxMessage = 300

  private let expression: String
  /// Nil where the expression is invalid for the link type.
  private var programs: [Key: Program?] = [:]
  /// Of the packet before.
  private var last: (key: Key, program: Program?)?
  private var findings: [StreamFinding] = []
  private var isFull = false

  /// Throws if the expression compiles for none of the usual link types.
  package init(_ expression: String) throws(InputError) {
    guard !expression.utf8.contains(0) else {
      throw InputError("the filter contains a NUL byte; see pcap-filter(7) for the syntax")
    }
    guard loadedLibpcap != nil else {
      throw InputError(
        "libpcap, which compiles filters, cannot be loaded; install libpcap0.8 (elsewhere: libpcap)")
    }
    self.expression = expression
    var first: InputError?
    for number in Self.usual {
      do throws(InputError) {
        _ = try Program(expression, for: Key(linkType: LinkType(rawValue: number)))
        return
      } catch { first = first ?? error }
    }
    throw InputError(
      "the filter '\(Self.bounded(expression))' does not compile: \(first?.message.text ?? "") (for "
        + "\(LinkType.ethernet.name), nor for another usual link type); see pcap-filter(7) for the syntax")
  }

  /// Whether the packet matches. If the expression is invalid for its link type, it does not match, and one finding
  /// reports that.
  package mutating func matches(_ record: PacketRecord, in window: RawSpan) -> Bool {
    guard record.start >= 0, record.capturedLength >= 0,
      record.capturedLength <= window.byteCount - record.start
    else { return false }
    var key = Key(linkType: record.linkType)
    // libpcap expects the families of NULL, all below 65,536, in the byte order of the file header.
    if key.linkType.rawValue == 0, record.capturedLength >= 2, window.bigEndianUInt16(at: record.start) == 0 {
      key.order = .big
    }
    if last?.key != key { last = (key, program(for: key, of: record)) }
    guard let program = last?.program else { return false }
    var header = pcap_pkthdr()
    header.caplen = UInt32(clamping: record.capturedLength)
    header.len = UInt32(clamping: record.originalLength)
    return window.withUnsafeBytes { bytes in
      // A packet of no bytes may be in an empty window.
      guard let base = bytes.baseAddress else {
        return withUnsafePointer(to: 0) { program.matches(&header, $0) }
      }
      return program.matches(&header, (base + record.start).assumingMemoryBound(to: UInt8.self))
    }
  }

  package var hasFindings: Bool { !findings.isEmpty }

  /// Anomalies since the last call: link types that the filter does not compile for.
  package mutating func takeFindings() -> [StreamFinding] {
    defer { findings = [] }
    return findings
  }

  private mutating func program(for key: Key, of record: PacketRecord) -> Program? {
    if let known = programs[key] { return known }
    guard programs.count < Self.maxLinkTypes else {
      if !isFull {
        note(
          record,
          "\(record.linkType.name) (link type \(Int(record.linkType.rawValue))) exceeds the limit of "
            + "\(Self.maxLinkTypes) link types; its packets are skipped")
      }
      isFull = true
      return nil
    }
    var program: Program?
    do throws(InputError) {
      program = try Program(expression, for: key)
    } catch {
      note(
        record,
        "\(record.linkType.name) (link type \(Int(record.linkType.rawValue))) does not support the "
          + "filter '\(Self.bounded(expression))': \(error.message.text); its packets are skipped")
    }
    programs[key] = .some(program)
    return program
  }

  private mutating func note(_ record: PacketRecord, _ message: Message) {
    findings.append(
      StreamFinding(
        .unsupportedLinkType, length: record.capturedLength, fileOffset: record.fileOffset,
        packet: PacketReference(number: record.number, time: record.time), message: message))
  }

  /// Bounds the length of the user's expression and of libpcap's messages, which quote it.
  fileprivate static func bounded(_ text: String) -> String {
    text.utf8.count <= maxMessage ? text : String(decoding: text.utf8.prefix(maxMessage), as: UTF8.self) + "…"
  }
}

/// libpcap, loaded only for a filter or the name of a link type; nil if it is missing. Loading it and its
/// dependencies takes longer than starting a command.
private let loadedLibpcap = SharedLibrary(
  Libpcap(), libpcap_find, linux: ["libpcap.so.0.8", "libpcap.so.1"], macOS: ["/usr/lib/libpcap.A.dylib"]
).functions

/// A pcap file of one link type and no packets, opened by libpcap.
///
/// Capture files number link types by a list of their own; libpcap's functions take the system's numbers, which
/// differ for some (RAW is 101 in files, and 12 or 14 in memory). libpcap translates only when it reads a file, so it
/// is given one.
final class EmptyCapture {
  let libpcap: Libpcap
  let handle: OpaquePointer
  /// Bytes of a packet that filters may look at.
  static let snapLength: UInt32 = 262_144

  /// Nil if libpcap is missing or out of memory.
  init?(linkType: LinkType, order: FileByteOrder = .little) {
    guard let libpcap = loadedLibpcap else { return nil }
    self.libpcap = libpcap
    let version: UInt32 = order == .little ? 2 | 4 << 16 : 2 << 16 | 4
    let words = [0xa1b2_c3d4, version, 0, 0, Self.snapLength, UInt32(linkType.rawValue)]
    var bytes = words.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: (order == .little ? word : word.byteSwapped) >> ($0 * 8)) }
    }
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let file = fmemopen(&bytes, bytes.count, "r") else { return nil }
    // libpcap reads the header now and nothing later, so `bytes` need not outlive this call.
    guard let handle = libpcap.pcap_fopen_offline(file, &message) else {
      fclose(file)
      return nil
    }
    self.handle = handle
  }

  deinit { libpcap.pcap_close(handle) }

  var message: String { libpcap.pcap_geterr(handle).map { String(cString: $0) } ?? "" }

  /// The link type by libpcap's number.
  var dataLink: Int32 { libpcap.pcap_datalink(handle) }
}

extension LinkType {
  static let ethernet = LinkType(rawValue: 1)

  /// libpcap's short name, `EN10MB`; `link type 4711` if it has none.
  package var name: String { describe { $0.libpcap.pcap_datalink_val_to_name($0.dataLink) } }

  /// libpcap's description, `Ethernet`; `link type 4711` if it has none.
  package var text: String { describe { $0.libpcap.pcap_datalink_val_to_description($0.dataLink) } }

  private func describe(_ words: (EmptyCapture) -> UnsafePointer<CChar>?) -> String {
    guard let capture = EmptyCapture(linkType: self), let found = words(capture) else {
      return "link type \(rawValue)"
    }
    return String(cString: found)
  }
}
