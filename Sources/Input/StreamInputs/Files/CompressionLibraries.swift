import Basics
import CBzip2
import CLz4
import CLzma
import CZlib
import CZstd

/// The library of a compression, loaded for the first file that needs it.
private struct CompressionLibrary<Functions>: Sendable {
  var library: SharedLibrary<Functions>
  /// The package of Debian that has it, and its name on other systems.
  var package: String
  var elsewhere: String

  /// - Parameter make: returns nil if the library is out of memory.
  func decoder(_ make: (Functions) -> (any FrameDecoder)?) -> any FrameDecoder {
    guard let functions = library.functions else {
      return RefusingDecoder(.noLibrary(library.file, package: package, elsewhere: elsewhere))
    }
    return make(functions) ?? RefusingDecoder(.libraryOutOfMemory(library.file))
  }
}

private let zlib = CompressionLibrary(
  library: SharedLibrary(Zlib(), zlib_find, linux: ["libz.so.1"], macOS: ["/usr/lib/libz.1.dylib"]),
  package: "zlib1g", elsewhere: "zlib")
private let libzstd = CompressionLibrary(
  library: SharedLibrary(Libzstd(), libzstd_find, linux: ["libzstd.so.1"], macOS: ["lib/libzstd.1.dylib"]),
  package: "libzstd1", elsewhere: "zstd")
private let liblz4 = CompressionLibrary(
  library: SharedLibrary(Liblz4(), liblz4_find, linux: ["liblz4.so.1"], macOS: ["lib/liblz4.1.dylib"]),
  package: "liblz4-1", elsewhere: "lz4")
private let liblzma = CompressionLibrary(
  library: SharedLibrary(Liblzma(), liblzma_find, linux: ["liblzma.so.5"], macOS: ["lib/liblzma.5.dylib"]),
  package: "liblzma5", elsewhere: "xz")
private let libbz2 = CompressionLibrary(
  library: SharedLibrary(
    Libbz2(), libbz2_find, linux: ["libbz2.so.1.0", "libbz2.so.1"], macOS: ["/usr/lib/libbz2.1.0.dylib"]),
  package: "libbz2-1.0", elsewhere: "bzip2")

extension Compression {
  func makeDecoder() -> any FrameDecoder {
    switch self {
    case .gzip: zlib.decoder { GzipDecoder($0) }
    case .zstd: libzstd.decoder { ZstdDecoder($0) }
    case .lz4: liblz4.decoder { LZ4Decoder($0) }
    case .xz: liblzma.decoder { XzDecoder($0) }
    case .bzip2: libbz2.decoder { Bzip2Decoder($0) }
    }
  }
}

/// Refuses all bytes, because the library cannot be used.
private final class RefusingDecoder: FrameDecoder {
  private let reason: Message

  init(_ reason: Message) { self.reason = reason }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    DecodingStep(outcome: .refused(reason))
  }

  func beginFrame() {}
}
