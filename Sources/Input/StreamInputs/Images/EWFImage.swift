import Basics
import CLibewf
import PacketCapture

/// A disk image in EWF format (E01), read by libewf with all its segment files as one blob.
package final class EWFImage {
  /// Names it among the compressions.
  package static let name = "ewf"
  /// The first bytes of each segment file; a segment's number follows (Expert Witness Compression Format, section 3.1).
  private static let signature: [UInt8] = [0x45, 0x56, 0x46, 0x09, 0x0d, 0x0a, 0xff, 0x00]
  private static let numberOffset = 9
  /// Damaged ranges that are reported one by one.
  private static let maxErrors = 100

  private let library: Libewf
  private var handle: UnsafeMutablePointer<Int>?
  /// Bytes of the medium.
  let size: Int
  /// Offset of the next byte, from 0.
  private var position = 0
  /// What the image says of its acquisition, as `case_number=2014-0042`, and of the MD5 of the medium.
  let facts: [String]
  let md5: String?
  /// Why reading ended before the end of the medium.
  private(set) var error: InputError?
  var isAtEnd: Bool { position == size }

  /// The number of the segment file that begins with `head`, from 1; nil if it is none.
  static func segmentNumber(of head: some Collection<UInt8>) -> Int? {
    let bytes = Array(head.prefix(numberOffset + 2))
    guard bytes.count == numberOffset + 2, bytes.starts(with: signature) else { return nil }
    return Int(bytes[numberOffset]) | Int(bytes[numberOffset + 1]) << 8
  }

  /// Whether the first segment file of the image is where it is expected: `.E01` for `.E02`, `.EAA` or `.FAA`.
  private static func hasFirstSegment(_ path: [CChar]) -> Bool {
    guard path.count > 4 else { return false }
    let first = [UInt8(ascii: "0"), UInt8(ascii: "1"), 0].map { CChar(bitPattern: $0) }
    let letters =
      [path[path.count - 4]] + ["E", "e", "S", "s", "L", "l"].flatMap { $0.utf8CString.dropLast() }
    return letters.contains { DirectoryEntry.isRegularFile(path.dropLast(4) + [$0] + first) }
  }

  /// Why a later segment file at `path` is not read with the first one; nil if it is.
  static func orphan(_ segment: Int?, at path: [CChar]?) -> InputError? {
    guard let segment, let path, !hasFirstSegment(path) else { return nil }
    return InputError(
      "is segment \(segment) of an E01 image, whose first segment file is missing: find it")
  }

  /// - Parameter path: the NUL-terminated path of the first segment file; libewf finds the others by its name.
  init(at path: [CChar]) throws(InputError) {
    guard let library = loadedLibewf else {
      throw InputError(
        "is an E01 image, and libewf, which reads it, is missing: install libewf, or convert it with "
          + "ewfexport")
    }
    self.library = library
    var error: UnsafeMutablePointer<Int>?
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var count: Int32 = 0
    guard library.libewf_glob(path, path.count - 1, Self.unknownFormat, &names, &count, &error) == 1 else {
      throw InputError(Self.message(&error, library))
    }
    defer { _ = library.libewf_glob_free(names, count, nil) }
    for index in 0..<Int(count) {
      guard let name = names?[index] else { continue }
      ReadFiles.add(Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)), as: ReadFiles.input)
    }
    var media: size64_t = 0
    guard library.libewf_handle_initialize(&handle, &error) == 1,
      library.libewf_handle_open(handle, names, count, Self.accessRead, &error) == 1,
      library.libewf_handle_get_media_size(handle, &media, &error) == 1
    else {
      let reason = Self.message(&error, library)
      _ = library.libewf_handle_free(&handle, nil)
      throw InputError(reason)
    }
    size = Int(clamping: media)
    let image = handle
    facts = Self.factNames.compactMap { Self.fact($0, of: image, library) }
    var digest = [UInt8](repeating: 0, count: 16)
    let hasDigest = library.libewf_handle_get_md5_hash(handle, &digest, digest.count, nil) == 1
    md5 = hasDigest ? Hex.string(digest) : nil
  }

  private static let factNames = [
    "case_number", "evidence_number", "examiner_name", "description", "notes", "acquiry_date",
  ]

  private static func fact(
    _ name: String, of handle: UnsafeMutablePointer<Int>?, _ library: Libewf
  ) -> String? {
    var value = [UInt8](repeating: 0, count: 1024)
    // libewf compares the NUL, too, which it does not count.
    let identifier = Array(name.utf8) + [0]
    guard
      library.libewf_handle_get_utf8_header_value(
        handle, identifier, identifier.count - 1, &value, value.count, nil) == 1
    else { return nil }
    let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : "\(name)=\(text)"
  }

  deinit {
    guard handle != nil else { return }
    _ = library.libewf_handle_close(handle, nil)
    _ = library.libewf_handle_free(&handle, nil)
  }

  private static let accessRead = Int32(LIBEWF_ACCESS_FLAG_READ.rawValue)
  private static let unknownFormat = UInt8(LIBEWF_FORMAT_UNKNOWN.rawValue)

  /// The next bytes of the medium; none at its end, or if there is an `error`. Damaged chunks are zeros.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let wanted = min(buffer.count, size - position)
    guard wanted > 0, error == nil else { return 0 }
    var cause: UnsafeMutablePointer<Int>?
    let count = library.libewf_handle_read_random(
      handle, buffer.baseAddress, wanted, off64_t(position), &cause)
    guard count > 0 else {
      error = InputError(Self.message(&cause, library), fileOffset: position)
      return 0
    }
    position += min(count, wanted)
    return min(count, wanted)
  }

  /// Ranges of the medium whose checksum is wrong, or whose segment file is missing.
  func damage() -> [InputError] {
    var count: UInt32 = 0
    var sectorSize: UInt32 = 0
    _ = library.libewf_handle_get_number_of_checksum_errors(handle, &count, nil)
    _ = library.libewf_handle_get_bytes_per_sector(handle, &sectorSize, nil)
    var errors: [InputError] = []
    for index in 0..<min(count, UInt32(Self.maxErrors)) {
      var (start, sectors): (UInt64, UInt64) = (0, 0)
      guard library.libewf_handle_get_checksum_error(handle, index, &start, &sectors, nil) == 1 else { break }
      let offset = Int(clamping: start.multipliedReportingOverflow(by: UInt64(sectorSize)).partialValue)
      let length = Int(clamping: sectors.multipliedReportingOverflow(by: UInt64(sectorSize)).partialValue)
      errors.append(
        InputError(
          "\(Count.of(length, "byte")) of the image are damaged or in a missing segment file; read as zeros",
          fileOffset: offset))
    }
    if Int(count) > errors.count {
      errors.append(
        InputError(
          "\(Count.of(Int(count) - errors.count, "more range")) of the image are damaged; read as zeros"))
    }
    return errors
  }

  private static func message(_ error: inout UnsafeMutablePointer<Int>?, _ library: Libewf) -> Message {
    defer { library.libewf_error_free(&error) }
    let reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      guard error != nil, library.libewf_error_sprint(error, buffer.baseAddress, buffer.count) > 0,
        let start = buffer.baseAddress
      else { return "libewf gives no reason" }
      return String(cString: start)
    }
    return "the E01 image cannot be read (\(reason)): look for another copy, and for all its segment files"
  }
}

/// libewf, loaded for the first image; nil if it is missing.
private let loadedLibewf = SharedLibrary(
  Libewf(), libewf_find, linux: ["libewf.so.2", "libewf.so.3"], macOS: ["lib/libewf.2.dylib"]
).functions
