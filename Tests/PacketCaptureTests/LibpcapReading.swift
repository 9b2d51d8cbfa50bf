import Basics
import CLibpcap
import Foundation

/// The packets of a capture file as read by libpcap.
struct LibpcapReading {
  struct Packet: Equatable {
    var seconds: Int64
    var nanoseconds: Int64
    var bytes: [UInt8]
    var original: Int
  }

  private(set) var packets: [Packet] = []
  /// Numbers of the packets that the filter lets through. One that makes no sense for the link type lets none.
  private(set) var matches: [Int] = []
  /// Short name of the link type.
  var linkType = ""
  /// Why it stopped before the end; nil if it did not.
  var error: String?

  init(_ file: [UInt8], filter: String = "") {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    var file = file
    let handle = file.withUnsafeMutableBytes { bytes -> OpaquePointer? in
      guard let stream = fmemopen(bytes.baseAddress, bytes.count, "r") else { return nil }
      let precision = UInt32(PCAP_TSTAMP_PRECISION_NANO)
      guard let handle = pcap_fopen_offline_with_tstamp_precision(stream, precision, &message) else {
        fclose(stream)
        return nil
      }
      read(from: handle, filter)
      return handle
    }
    guard let handle else {
      error = message.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? "?"
      return
    }
    pcap_close(handle)
  }

  private mutating func read(from handle: OpaquePointer, _ filter: String) {
    var code = bpf_program()
    let compiles = pcap_compile(handle, &code, filter, 1, 0xffff_ffff) == 0
    defer { if compiles { pcap_freecode(&code) } }
    linkType = pcap_datalink_val_to_name(pcap_datalink(handle)).map { String(cString: $0) } ?? ""
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    while true {
      let answer = pcap_next_ex(handle, &header, &data)
      guard answer == 1, let found = header?.pointee else {
        if answer != PCAP_ERROR_BREAK { error = String(cString: pcap_geterr(handle)) }
        return
      }
      packets.append(
        Packet(
          seconds: Int64(found.ts.tv_sec), nanoseconds: Int64(found.ts.tv_usec),
          bytes: Array(UnsafeBufferPointer(start: data, count: Int(found.caplen))),
          original: Int(found.len)))
      if compiles, pcap_offline_filter(&code, header, data) != 0 { matches.append(packets.count) }
    }
  }
}

extension RecordReading.Packet {
  /// As reported by libpcap; packets without a time have 0 there.
  var asLibpcap: LibpcapReading.Packet {
    let digits = Int(time?.digits ?? 0)
    var fraction = time?.fraction ?? 0
    for _ in 9..<max(9, digits) { fraction /= 10 }
    for _ in min(9, digits)..<9 { fraction *= 10 }
    return LibpcapReading.Packet(
      seconds: time?.seconds ?? 0, nanoseconds: Int64(fraction), bytes: bytes, original: original)
  }
}
