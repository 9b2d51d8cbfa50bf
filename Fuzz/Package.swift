// swift-tools-version: 6.3
import PackageDescription

// A package of its own: its modules are those of apnsift, compiled with the instrumentation of libFuzzer and
// AddressSanitizer. Links in Sources lead to them, as SwiftPM takes no targets from outside of a package.
// scripts/fuzz builds and runs it.

/// Comparisons are not traced: that took a fifth of the time, and the seeds have the numbers that formats begin with.
let instrumented = ["-sanitize=fuzzer,address", "-sanitize-coverage=edge,inline-8bit-counters,pc-table"]

func module(_ name: String, _ dependencies: Target.Dependency..., resources: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources.map { .embedInCode($0) },
    swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(instrumented)])
}

/// What checks has no coverage to find and no bytes of others to read, and is faster without instrumentation.
let checking: [SwiftSetting] = [.swiftLanguageMode(.v6)]

func library(_ name: String, _ pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig)
}

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v26)],
  targets: [
    library("CLibcrypto", "libcrypto"), library("CLibpcap"), library("CLibmagic"), library("CZlib"),
    library("CZstd"), library("CLz4"), library("CLzma"), library("CBzip2"),
    library("CLibarchive"), library("CLibewf"), library("CLibnghttp2"), library("CLibpcre2"),
    library("CLibyaml"), library("CSQLite"),
    .target(name: "WideBytes"),
    module("WireBytes", "WideBytes"),
    module("Basics", "WireBytes"),
    module("APNsWire", "WireBytes"),
    module("ProviderLogs", "Basics", "APNsWire", "CLibpcre2", "YAML", resources: ["forms.yml", "names.txt"]),
    module("APNsPushes", "Basics", "APNsWire", "CLibnghttp2"),
    module("PacketCapture", "Basics", "CLibpcap"),
    module(
      "StreamInputs", "Basics", "APNsWire", "PacketCapture", "CLibcrypto", "CLibmagic", "CZlib", "CZstd",
      "CLz4", "CLzma", "CBzip2", "CLibarchive", "CLibewf", "ProviderLogs", "WideBytes"),
    module(
      "TLSDecryption", "Basics", "PacketCapture", "StreamInputs", "CLibcrypto",
      resources: ["Suites/suites.txt"]),
    module(
      "Analysis", "Basics", "APNsPushes", "APNsWire", "ProviderLogs", "PacketCapture", "StreamInputs",
      "TLSDecryption", resources: ["Catalogue/catalogue.txt"]),
    module("YAML", "Basics", "CLibyaml"),
    // Of the stores, those in files of SQLite, and what reads a mapping and the URLs in it.
    module("TokenStores", "APNsWire", "Basics", "CSQLite", "PacketCapture", "StreamInputs", "YAML"),
    // Of the tests, the plain models and what records the events of sources.
    .target(name: "TestSupport", swiftSettings: checking),
    .target(name: "StreamTestSupport", dependencies: ["PacketCapture"], swiftSettings: checking),
    .target(name: "CaptureWriting", swiftSettings: checking),
    .target(name: "CLibFuzzer", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "APNsPushes", "APNsWire", "Analysis", "Basics", "CLibFuzzer", "CaptureWriting", "PacketCapture",
        "ProviderLogs", "StreamInputs", "StreamTestSupport", "TLSDecryption", "TestSupport", "TokenStores",
        "YAML",
      ],
      swiftSettings: checking + [.unsafeFlags(["-parse-as-library"])],
      // gold, the usual linker, stops at the sections of libFuzzer.
      linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=fuzzer,address"])]),
  ])
