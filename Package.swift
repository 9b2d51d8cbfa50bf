// swift-tools-version: 6.3
import PackageDescription

/// Our own targets compile in Swift 6 mode, and a warning in them is an error.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

/// On Linux the release command has Swift's libraries in it, so that it starts in half the time and runs where there is no
/// Swift. Tests cannot link it: their frameworks bring the libraries, too.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-lFoundation", "-lFoundationInternationalization", "-lFoundationEssentials",
      "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
    ], .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "apnsift",
  // Spans and inline arrays are in the system's library from here on; tested on Linux only.
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "apnsift", targets: ["apnsift"]),
    .executable(name: "apnsift-lab", targets: ["apnsift-lab"]),
    .library(name: "APNsWire", targets: ["APNsWire"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibcrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"]), .brew(["openssl@3"])]),
    // All others are loaded when they are needed, and not linked: see their headers.
    .systemLibrary(
      name: "CLibpcap",
      providers: [.apt(["libpcap-dev"]), .yum(["libpcap-devel"]), .brew(["libpcap"])]),
    .systemLibrary(
      name: "CLibmagic",
      providers: [.apt(["libmagic-dev"]), .yum(["file-devel"]), .brew(["libmagic"])]),
    .systemLibrary(
      name: "CLibpq",
      providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]),
    .systemLibrary(
      name: "CLibyaml",
      providers: [.apt(["libyaml-dev"]), .yum(["libyaml-devel"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CLibmariadb",
      providers: [
        .apt(["libmariadb-dev"]), .yum(["mariadb-connector-c-devel"]), .brew(["mariadb-connector-c"]),
      ]),
    .systemLibrary(
      name: "CSQLite",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CZlib",
      providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd",
      providers: [.apt(["libzstd-dev"]), .yum(["libzstd-devel"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CLz4",
      providers: [.apt(["liblz4-dev"]), .yum(["lz4-devel"]), .brew(["lz4"])]),
    .systemLibrary(
      name: "CLzma",
      providers: [.apt(["liblzma-dev"]), .yum(["xz-devel"]), .brew(["xz"])]),
    .systemLibrary(
      name: "CBzip2", providers: [.apt(["libbz2-dev"]), .yum(["bzip2-devel"]), .brew(["bzip2"])]),
    .systemLibrary(
      name: "CLibarchive",
      providers: [.apt(["libarchive-dev"]), .yum(["libarchive-devel"]), .brew(["libarchive"])]),
    .systemLibrary(
      name: "CLibewf", providers: [.apt(["libewf-dev"]), .yum(["libewf-devel"]), .brew(["libewf"])]),
    .systemLibrary(
      name: "CLibnghttp2",
      providers: [.apt(["libnghttp2-dev"]), .yum(["libnghttp2-devel"]), .brew(["libnghttp2"])]),
    .target(name: "WireBytes", swiftSettings: strict),
    // What apnsift says to users, worded in one place.
    .target(name: "Messages", dependencies: ["WireBytes"], swiftSettings: strict),
    // The system's C library, and what we need of it beyond a call.
    .target(name: "Platform", dependencies: ["Messages"], swiftSettings: strict),
    .target(name: "JSON", dependencies: ["Messages", "WireBytes"], swiftSettings: strict),
    .target(name: "APNsWire", dependencies: ["WireBytes", "JSON"], swiftSettings: strict),
    // Decodes providers' logs to pushes.
    .target(name: "ProviderLogs", dependencies: ["WireBytes", "APNsWire", "JSON"], swiftSettings: strict),
    // Decompresses HTTP/2 header blocks. The only user of libnghttp2.
    .target(
      name: "HTTP2", dependencies: ["Messages", "Platform", "WireBytes", "APNsWire", "CLibnghttp2"],
      swiftSettings: strict),
    // Records of TLS to plaintext. Knows nothing of packets.
    .target(
      name: "TLSDecryption", dependencies: ["Platform", "WireBytes", "CLibcrypto"], swiftSettings: strict),
    // Capture files to streams of bytes. The only one that knows libpcap.
    .target(
      name: "PacketCapture", dependencies: ["Messages", "Platform", "WireBytes", "CLibpcap"],
      swiftSettings: strict),
    .target(
      name: "StreamInputs",
      dependencies: [
        "APNsWire", "Messages", "Platform", "WireBytes", "PacketCapture", "CLibcrypto", "CLibmagic", "CZlib",
        "CZstd", "CLz4", "CLzma", "CBzip2", "CLibarchive", "CLibewf",
      ],
      swiftSettings: strict),
    // Between them: events of TLS streams in, events of their plaintext out.
    .target(
      name: "StreamDecryption",
      dependencies: [
        "Messages", "Platform", "WireBytes", "TLSDecryption", "PacketCapture", "StreamInputs",
      ],
      swiftSettings: strict),
    .target(
      name: "Analysis",
      dependencies: [
        "Messages", "Platform", "WireBytes", "APNsWire", "HTTP2", "ProviderLogs", "PacketCapture",
        "StreamInputs",
        "StreamDecryption",
      ],
      resources: [.embedInCode("Catalogue/catalogue.txt")],
      swiftSettings: strict),
    .target(
      name: "Reports",
      dependencies: [
        "StreamInputs", "JSON", "Messages", "Platform", "WireBytes", "APNsWire", "PacketCapture", "Analysis",
        "CLibcrypto", "TimeZones", "TokenStores",
      ],
      swiftSettings: strict),
    // Results of faulty readers, compared with the records of a stream.
    .target(
      name: "Readers",
      dependencies: [
        "JSON", "Messages", "Platform", "WireBytes", "PacketCapture", "Analysis", "Reports", "ReaderModels",
      ],
      swiftSettings: strict),
    // The HTML page and its data.
    .target(
      name: "EvidenceReport",
      dependencies: [
        "Readers", "Messages", "Platform", "WireBytes", "APNsWire", "PacketCapture", "StreamInputs",
        "Analysis",
        "Reports", "TimeZones",
        "CLibcrypto",
      ],
      // In the binary, so that the installed command is one file.
      resources: [.embedInCode("report.css")],
      swiftSettings: strict),
    // Offsets from UTC, of the tz database.
    .target(name: "TimeZones", dependencies: ["Platform", "WireBytes"], swiftSettings: strict),
    .target(
      name: "TokenStores", dependencies: ["JSON", "Messages", "Platform", "TimeZones", "WireBytes"],
      swiftSettings: strict),
    // Imports nothing of ours: no model of a reader can be right, or wrong, by our decoder's code.
    .target(name: "ReaderModels", swiftSettings: strict),
    // Cases of a corpus, and the comparison with their expectations.
    .target(
      name: "Corpora",
      dependencies: [
        "PacketCapture", "Readers", "Reports", "Analysis", "JSON", "Messages", "Platform", "WireBytes",
        "StreamDecryption", "StreamInputs", "YAML",
      ],
      swiftSettings: strict),
    // Generated inputs with their expected records, without the code of the decoders.
    .target(
      name: "Generator", dependencies: ["CZlib", "CZstd", "CLz4"], swiftSettings: strict,
      linkerSettings: [.linkedLibrary("z"), .linkedLibrary("zstd"), .linkedLibrary("lz4")]),
    // Small files in YAML. The only user of libyaml.
    .target(
      name: "YAML", dependencies: ["Messages", "Platform", "WireBytes", "CLibyaml"], swiftSettings: strict),
    .target(
      name: "SQLiteStore", dependencies: ["Messages", "Platform", "WireBytes", "TokenStores", "CSQLite"],
      swiftSettings: strict),
    .target(
      name: "PostgreSQLStore", dependencies: ["Messages", "Platform", "WireBytes", "TokenStores", "CLibpq"],
      swiftSettings: strict),
    .target(
      name: "MySQLStore", dependencies: ["Messages", "Platform", "WireBytes", "TokenStores", "CLibmariadb"],
      swiftSettings: strict),
    // Which store and which table, and what people write for them: mappings in YAML, registrations in CSV.
    .target(
      name: "Stores",
      dependencies: [
        "APNsWire", "JSON", "Messages", "Platform", "WireBytes", "PacketCapture", "StreamInputs", "Analysis",
        "Reports",
        "YAML",
        "TokenStores", "SQLiteStore", "PostgreSQLStore", "MySQLStore",
      ],
      swiftSettings: strict),
    // Runs readers under test on the streams of a corpus.
    .target(
      name: "ReaderTrials",
      dependencies: [
        "Analysis", "Corpora", "JSON", "Messages", "MockServer", "Platform", "ReaderModels", "Readers",
        "Reports",
        "WireBytes",
      ],
      swiftSettings: strict),
    // The only one that knows SwiftNIO.
    .target(
      name: "MockServer",
      dependencies: [
        "APNsWire", "PacketCapture", "StreamInputs", "Analysis", "Messages", "Platform", "WireBytes",
        "CLibcrypto",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
      ],
      swiftSettings: strict),
    // Options, exit codes and help of both commands.
    .target(
      name: "CommandOptions",
      dependencies: [
        "APNsWire", "Analysis", "Corpora", "EvidenceReport", "JSON", "Messages", "PacketCapture", "Platform",
        "ProviderLogs", "Reports", "StreamDecryption", "StreamInputs", "TokenStores", "WireBytes", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "apnsift",
      dependencies: [
        "APNsWire", "Analysis", "CommandOptions", "Corpora", "EvidenceReport", "JSON", "Messages",
        "PacketCapture",
        "Platform", "Readers", "Reports", "Stores", "StreamInputs", "TimeZones", "TokenStores", "WireBytes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict, linkerSettings: selfContained),
    .executableTarget(
      name: "apnsift-lab",
      dependencies: [
        "APNsWire", "Analysis", "CommandOptions", "Corpora", "Generator", "JSON", "Messages", "MockServer",
        "PacketCapture", "Platform", "ReaderTrials", "Readers", "Reports", "WireBytes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict, linkerSettings: selfContained),
    .target(
      name: "TestSupport", dependencies: ["APNsWire"], path: "Tests/TestSupport",
      exclude: ["Captures", "Pushes", "ReaderModel", "Servers", "Stores", "Streams"],
      swiftSettings: strict),
    // Takes the events of sources one by one.
    .target(
      name: "StreamTestSupport", dependencies: ["Messages", "PacketCapture"],
      path: "Tests/TestSupport/Streams",
      swiftSettings: strict),
    .target(
      name: "StoreTestSupport", dependencies: ["CSQLite", "TokenStores"], path: "Tests/TestSupport/Stores",
      swiftSettings: strict, linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "PushTestSupport", dependencies: ["APNsWire", "Analysis", "PacketCapture", "WireBytes"],
      path: "Tests/TestSupport/Pushes",
      swiftSettings: strict),
    // Depends on nothing, so that no capture can be right by sharing code with its reader.
    .target(name: "CaptureWriting", path: "Tests/TestSupport/Captures", swiftSettings: strict),
    // Servers for tests, and clients that share no code with ours.
    .target(
      name: "PrivateServers", dependencies: ["CLibmariadb", "CLibpq", "Platform"],
      path: "Tests/TestSupport/Servers", swiftSettings: strict,
      linkerSettings: [.linkedLibrary("mariadb"), .linkedLibrary("pq")]),
    .testTarget(name: "MessagesTests", dependencies: ["Messages"], swiftSettings: strict),
    .testTarget(
      name: "WireBytesTests", dependencies: ["Platform", "WireBytes", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TimeZonesTests", dependencies: ["TimeZones", "WireBytes"], swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["Messages", "JSON", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "APNsWireTests", dependencies: ["APNsWire", "WireBytes", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "HTTP2Tests", dependencies: ["HTTP2", "APNsWire", "WireBytes", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderLogsTests", dependencies: ["ProviderLogs", "APNsWire", "WireBytes", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PacketCaptureTests",
      dependencies: [
        "Messages", "PacketCapture", "WireBytes", "TestSupport", "StreamTestSupport", "CLibpcap",
        "CaptureWriting",
      ],
      swiftSettings: strict, linkerSettings: [.linkedLibrary("pcap")]),
    .testTarget(
      name: "TLSDecryptionTests", dependencies: ["TLSDecryption", "WireBytes", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "StreamInputsTests",
      dependencies: [
        "Messages", "StreamInputs", "PacketCapture", "WireBytes", "TestSupport", "StreamTestSupport",
        "CaptureWriting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AnalysisTests",
      dependencies: [
        "Analysis", "APNsWire", "PacketCapture", "Messages", "Platform", "StreamInputs", "WireBytes",
        "PushTestSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "Messages", "JSON", "Reports", "Analysis", "APNsWire", "PacketCapture", "StreamInputs", "TimeZones",
        "TokenStores",
        "WireBytes",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReaderModelsTests", dependencies: ["ReaderModels", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ReadersTests",
      dependencies: ["Messages", "Readers", "ReaderModels", "ReaderTrials", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "CorporaTests", dependencies: ["Messages", "Corpora", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "GeneratorTests", dependencies: ["Generator", "CaptureWriting", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "EvidenceReportTests",
      dependencies: [
        "Messages", "CaptureWriting", "EvidenceReport", "Reports", "Analysis", "APNsWire", "PacketCapture",
        "TimeZones", "WireBytes",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoresTests",
      dependencies: [
        "Analysis", "Messages", "Platform", "StreamInputs", "Stores", "TokenStores", "YAML",
        "PushTestSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MockServerTests",
      dependencies: ["APNsWire", "Analysis", "MockServer", "Messages", "Platform", "TestSupport"],
      swiftSettings: strict),
    // The five faulty readers as programs, for `verify --reader`.
    .executableTarget(
      name: "reader-model", dependencies: ["ReaderModels", "Platform"], path: "Tests/TestSupport/ReaderModel",
      swiftSettings: strict),
    // Runs the built command. Of its code it links messages and calls of the system; the rest are its own inputs.
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "CaptureWriting", "Messages", "Platform", "PrivateServers", "TestSupport", "reader-model",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenStoresTests",
      dependencies: ["Messages", "TokenStores", "SQLiteStore", "StoreTestSupport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "Messages", "TokenStores", "MySQLStore", "PostgreSQLStore", "SQLiteStore", "Stores", "PrivateServers",
        "StoreTestSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MySQLStoreTests",
      dependencies: ["TokenStores", "MySQLStore", "Messages", "Platform", "PrivateServers"],
      swiftSettings: strict),
  ]
)
