import Basics
import CLibmagic
import Synchronization

/// Names files of well-known types that are no input, with libmagic if it is installed. Many are compressed.
enum KnownFileTypes {
  /// Types that a damaged dump is not mistaken for: their signatures are long. Text is not among them, because mail and
  /// logs may have records in them.
  private static let types: Set<String> = [
    "application/pdf", "text/rtf", "text/html", "application/x-sqlite3", "application/vnd.sqlite3",
    "application/x-executable", "application/x-pie-executable", "application/x-sharedlib",
    "application/x-object", "application/x-mach-binary", "application/vnd.microsoft.portable-executable",
    "application/java-vm", "application/x-java-applet", "application/msword", "application/x-ole-storage",
    "application/CDFV2", "application/vnd.ms-excel", "application/vnd.ms-powerpoint",
    "application/vnd.ms-outlook", "application/x-bplist", "application/epub+zip", "application/ogg",
    "audio/x-wav", "audio/flac", "audio/ogg", "video/mp4", "video/quicktime", "video/webm",
    "video/x-matroska", "video/x-msvideo", "image/jpeg", "image/png", "image/gif", "image/tiff",
    "image/webp", "image/heic", "application/zip", "application/x-7z-compressed", "application/x-compress",
    "application/x-lzip", "application/x-lzma", "application/x-lzop", "application/x-lz4",
    "application/x-snappy-framed", "application/x-arj", "application/x-lzh-compressed", "application/x-lha",
    "application/x-xar", "application/x-rpm", "application/x-archive",
    "application/vnd.debian.binary-package", "application/pgp-encrypted", "application/vnd.ms-tnef",
    "application/x-qemu-disk", "application/x-git",
  ]
  private static let prefixes = ["application/vnd.openxmlformats-", "application/vnd.oasis."]
  /// Of types without a name: what their descriptions begin with.
  private static let descriptions = [
    "openssl enc'd data", "GPG symmetrically encrypted", "VMware4 disk image",
  ]

  /// `PDF document, version 1.7`; nil for other types.
  static func description(of head: [UInt8]) -> String? {
    guard let library = LoadedLibmagic.shared, let type = library.text(of: head, MAGIC_MIME_TYPE),
      let description = library.text(of: head, MAGIC_NONE),
      types.contains(type) || prefixes.contains(where: type.hasPrefix)
        || descriptions.contains(where: description.hasPrefix)
    else { return nil }
    // The first parts name the type; the rest are details.
    return description.split(separator: ",").prefix(2).joined(separator: ",")
  }
}

/// libmagic with its own database. A handle serves one thread at a time.
private final class LoadedLibmagic: Sendable {
  private struct Handle: @unchecked Sendable { var magic: magic_t }

  static let shared = LoadedLibmagic()

  private let functions: Libmagic
  /// Those that no thread uses now.
  private let handles: Mutex<[Handle]>

  private init?() {
    let library = SharedLibrary(
      Libmagic(), libmagic_find, linux: ["libmagic.so.1"], macOS: ["lib/libmagic.1.dylib"])
    guard let functions = library.functions, let handle = Self.handle(functions) else { return nil }
    self.functions = functions
    handles = Mutex([handle])
  }

  private static func handle(_ functions: Libmagic) -> Handle? {
    guard let magic = functions.magic_open(MAGIC_NONE) else { return nil }
    if functions.magic_load(magic, nil) == 0 { return Handle(magic: magic) }
    functions.magic_close(magic)
    return nil
  }

  func text(of head: [UInt8], _ flags: Int32) -> String? {
    guard let handle = handles.withLock({ $0.popLast() }) ?? Self.handle(functions) else { return nil }
    defer { handles.withLock { $0.append(handle) } }
    guard functions.magic_setflags(handle.magic, flags) == 0 else { return nil }
    return head.withUnsafeBytes { functions.magic_buffer(handle.magic, $0.baseAddress, $0.count) }
      .map { String(cString: $0) }
  }
}
