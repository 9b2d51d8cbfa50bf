import Basics
import CLibnghttp2

/// libnghttp2, loaded for the first HTTP/2 connection.
private let libnghttp2 = SharedLibrary(
  Libnghttp2(), libnghttp2_find, linux: ["libnghttp2.so.14"], macOS: ["lib/libnghttp2.14.dylib"])

/// The dynamic table of one direction (RFC 7541), in libnghttp2.
///
/// After a gap, the entries are unknown: lost header blocks may have replaced any of them. So the inflater
/// gets a new table of dummies. A field that refers to a dummy is lost, and never guessed. Indices count from
/// the newest entry, so they are right for all entries that were added after the gap.
package final class HeaderTable {
  /// Why a header block cannot be decoded.
  package enum HeaderError: Sendable {
    /// It is not a valid header block, or refers to an entry that does not exist.
    case malformed
    /// The header list is longer than `longestList`.
    case tooLong
    /// The library is missing; reported once, and all fields are lost.
    case noLibrary
  }

  /// Why no header block can be decoded, if the library is missing.
  package static var missingLibrary: Message {
    .noLibrary(libnghttp2.file, package: "libnghttp2-14", elsewhere: "nghttp2")
  }

  /// The maximum size of a header list, counted as in RFC 9113, section 6.5.2.
  package static let longestList = 1 << 16
  /// The largest table size that an encoder may choose, in bytes.
  private static let greatestSize = 1 << 20
  /// The number of dummies: enough for a table of the default 4096 bytes, or of 64 KiB.
  private static let (few, many) = (128, 2048)
  /// How often a table gets `many` dummies: that is slow.
  private static let mostRefills = 16
  /// The name of dummies. No valid field has it.
  private static let unknownName: UInt8 = 0x01
  private static let fieldOverhead = 32

  private let library = libnghttp2.functions
  private var inflater: OpaquePointer?
  private var isLost = true
  /// Whether the table was created with `few` dummies.
  private var isFewFilled = false
  private var refills = 0
  private var hasReported = false

  /// A lost table.
  package init() {}

  deinit { reset() }

  /// The connection begins: the table is empty.
  package func begin() {
    reset()
    isLost = false
  }

  /// Bytes of header blocks are missing.
  package func lose() {
    guard !isLost || inflater != nil else { return }
    reset()
    isLost = true
  }

  /// Reads a whole header block.
  ///
  /// - Returns: nil if the block was decoded; otherwise the table and the fields are lost.
  package func read(_ block: RawSpan, into fields: inout HeaderFields) -> HeaderError? {
    guard let library else { return withoutLibrary(&fields) }
    if inflater == nil { create(unknown: isLost ? Self.few : 0, library) }
    var error = inflate(block, into: &fields, library)
    if error == .malformed, isFewFilled, refills < Self.mostRefills {
      refills &+= 1
      reset()
      create(unknown: Self.many, library)
      error = inflate(block, into: &fields, library)
    }
    assert(
      refills <= Self.mostRefills && fields.bytes.count <= Self.longestList,
      "tables are filled a few times, and lists are short")
    if error != nil {
      lose()
      fields.lose()
    }
    return error
  }

  private func withoutLibrary(_ fields: inout HeaderFields) -> HeaderError? {
    fields.lose()
    defer { hasReported = true }
    return hasReported ? nil : .noLibrary
  }

  private func reset() {
    // nghttp2_hd_inflate_del does not accept NULL.
    if let inflater { library?.nghttp2_hd_inflate_del(inflater) }
    inflater = nil
  }

  private func create(unknown count: Int, _ library: Libnghttp2) {
    isFewFilled = count == Self.few
    guard library.nghttp2_hd_inflate_new(&inflater) == 0 else { return }
    _ = library.nghttp2_hd_inflate_change_table_size(inflater, Self.greatestSize)
    guard count > 0 else { return }
    let filling = count == Self.few ? Self.fewUnknown : Self.manyUnknown
    var ignored = HeaderFields()
    _ = inflate(filling.span.bytes, into: &ignored, library, longest: .max)
  }

  private static let fewUnknown = unknownEntries(few)
  private static let manyUnknown = unknownEntries(many)

  /// A header block that sets the table size and adds dummies.
  private static func unknownEntries(_ count: Int) -> [UInt8] {
    // RFC 7541, section 6.3: a size of 128 KiB. A table larger than the encoder's is harmless.
    var block: [UInt8] = [0x3f, 0xe1, 0xff, 0x07]
    // Section 6.2.1: a literal with a new name of one byte, and an empty value.
    for _ in 0..<count { block.append(contentsOf: [0x40, 1, unknownName, 0]) }
    return block
  }

  private func inflate(
    _ block: RawSpan, into fields: inout HeaderFields, _ library: Libnghttp2,
    longest: Int = HeaderTable.longestList
  ) -> HeaderError? {
    fields.removeAll()
    guard let inflater else { return .malformed }
    return block.withUnsafeBytes { bytes in
      var rest = bytes
      var length = 0
      while true {
        var field = nghttp2_nv()
        var flags: Int32 = 0
        let used = library.nghttp2_hd_inflate_hd2(
          inflater, &field, &flags, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), rest.count, 1)
        guard used >= 0, used <= rest.count else { return .malformed }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(used))
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          length &+= field.namelen &+ field.valuelen &+ Self.fieldOverhead
          guard length <= longest else { return .tooLong }
          let name = UnsafeRawBufferPointer(start: field.name, count: field.namelen)
          if name.count == 1, name[0] == Self.unknownName {
            fields.hasLost = true
          } else {
            fields.add(name, UnsafeRawBufferPointer(start: field.value, count: field.valuelen))
          }
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          _ = library.nghttp2_hd_inflate_end_headers(inflater)
          return nil
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0, rest.isEmpty { return .malformed }
      }
    }
  }
}
