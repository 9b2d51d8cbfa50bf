// swift-tools-version: 6.3
import PackageDescription

/// Our own targets compile in Swift 6 mode, and a warning in them is an error.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

/// On Linux the release commands have Swift's libraries in them, so that they start in half the time and run where there is no
/// Swift. Tests cannot link them: their frameworks bring the libraries, too.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-stdlib", "-lFoundationEssentials", "-l_FoundationCShims", "-l_FoundationCollections"],
    .when(platforms: [.linux], configuration: .release))
]

/// A module of ours, in the folder of its area in Sources.
/// - Parameters:
///   - resource: a file that is embedded, so that the installed command is one file.
///   - libraries: of the system, linked rather than loaded when they are needed.
func module(
  _ path: String, _ dependencies: [Target.Dependency] = [], resource: String? = nil, libraries: [String] = []
) -> Target {
  .target(
    name: String(path.split(separator: "/")[1]), dependencies: dependencies, path: "Sources/\(path)",
    resources: resource.map { [.embedInCode($0)] }, swiftSettings: strict,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

func command(_ path: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: String(path.split(separator: "/")[1]), dependencies: dependencies, path: "Sources/\(path)",
    swiftSettings: strict, linkerSettings: selfContained)
}

/// A C library of the system, by the packages that have its headers.
func library(_ name: String, apt: String, yum: String, brew: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt]), .yum([yum]), .brew([brew])])
}

/// A product of SwiftNIO, which only the trait Lab needs: users of the library do not fetch it.
func nio(_ name: String, _ package: String = "swift-nio") -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Lab"]))
}

let package = Package(
  name: "apnsift",
  // Spans and inline arrays are in the system's library from here on; tested on Linux only.
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "apnsift", targets: ["apnsift"]),
    .executable(name: "apnsift-lab", targets: ["apnsift-lab"]),
    .library(name: "APNsWire", targets: ["APNsWire"]),
  ],
  traits: [.trait(name: "Lab", description: "apnsift-lab and the tests, which need SwiftNIO.")],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
  ],
  targets: [
    // MARK: CLibraries
    // libcrypto is linked; all others are loaded when they are needed (docs/decisions/0046).
    library("CBzip2", apt: "libbz2-dev", yum: "bzip2-devel", brew: "bzip2"),
    library("CLibarchive", apt: "libarchive-dev", yum: "libarchive-devel", brew: "libarchive"),
    library("CLibcrypto", apt: "libssl-dev", yum: "openssl-devel", brew: "openssl@3", pkgConfig: "libcrypto"),
    library("CLibewf", apt: "libewf-dev", yum: "libewf-devel", brew: "libewf"),
    library("CLibmagic", apt: "libmagic-dev", yum: "file-devel", brew: "libmagic"),
    library(
      "CLibmariadb", apt: "libmariadb-dev", yum: "mariadb-connector-c-devel", brew: "mariadb-connector-c"),
    library("CLibnghttp2", apt: "libnghttp2-dev", yum: "libnghttp2-devel", brew: "libnghttp2"),
    library("CLibpcap", apt: "libpcap-dev", yum: "libpcap-devel", brew: "libpcap"),
    library("CLibpq", apt: "libpq-dev", yum: "libpq-devel", brew: "libpq"),
    library("CLibyaml", apt: "libyaml-dev", yum: "libyaml-devel", brew: "libyaml"),
    library("CLz4", apt: "liblz4-dev", yum: "lz4-devel", brew: "lz4"),
    library("CLzma", apt: "liblzma-dev", yum: "xz-devel", brew: "xz"),
    library("CSQLite", apt: "libsqlite3-dev", yum: "sqlite-devel", brew: "sqlite"),
    library("CZlib", apt: "zlib1g-dev", yum: "zlib-devel", brew: "zlib"),
    library("CZstd", apt: "libzstd-dev", yum: "libzstd-devel", brew: "zstd"),

    // MARK: System
    module("System/WireBytes"),
    // What apnsift says in several places, or its tests name.
    module("System/Messages", ["WireBytes"]),
    module("System/JSON", ["Messages", "WireBytes"]),
    // The system's C library, and what we need of it beyond a call.
    module("System/Platform", ["Messages"]),
    // Offsets from UTC, of the tz database.
    module("System/TimeZones", ["Platform", "WireBytes"]),
    // Small files in YAML. The only user of libyaml.
    module("System/YAML", ["CLibyaml", "Messages", "Platform", "WireBytes"]),
    // MARK: Wire
    module("Wire/APNsWire", ["JSON", "WireBytes"]),
    // Decompresses HTTP/2 header blocks. The only user of libnghttp2.
    module("Wire/HTTP2", ["APNsWire", "CLibnghttp2", "Messages", "Platform", "WireBytes"]),
    // MARK: Input
    // Capture files to streams of bytes. The only user of libpcap.
    module("Input/PacketCapture", ["CLibpcap", "Messages", "Platform", "WireBytes"]),
    // Decodes providers' logs to pushes.
    module("Input/ProviderLogs", ["APNsWire", "JSON", "WireBytes"]),
    module(
      "Input/StreamInputs",
      [
        "APNsWire", "CBzip2", "CLibarchive", "CLibcrypto", "CLibewf", "CLibmagic", "CLz4", "CLzma", "CZlib",
        "CZstd", "Messages", "PacketCapture", "Platform", "WireBytes",
      ]),
    // Records of TLS to plaintext. Knows nothing of packets.
    module("Input/TLSDecryption", ["CLibcrypto", "Platform", "WireBytes"], resource: "Suites/suites.txt"),
    // Between them: events of TLS streams in, events of their plaintext out.
    module(
      "Input/StreamDecryption",
      ["Messages", "PacketCapture", "Platform", "StreamInputs", "TLSDecryption", "WireBytes"]),
    // MARK: Analysis
    module(
      "Analysis/Analysis",
      [
        "APNsWire", "HTTP2", "Messages", "PacketCapture", "Platform", "ProviderLogs", "StreamDecryption",
        "StreamInputs", "WireBytes",
      ], resource: "Catalogue/catalogue.txt"),
    // MARK: Output
    module(
      "Output/Reports",
      [
        "APNsWire", "Analysis", "CLibcrypto", "JSON", "Messages", "PacketCapture", "Platform", "StreamInputs",
        "TimeZones", "TokenStores", "WireBytes",
      ], resource: "Rows/columns.txt"),
    // The HTML page and its data.
    module(
      "Output/EvidenceReport",
      [
        "APNsWire", "Analysis", "CLibcrypto", "Messages", "PacketCapture", "Platform", "Readers", "Reports",
        "StreamInputs", "TimeZones", "WireBytes",
      ], resource: "report.css"),
    // MARK: Conformance
    // Imports nothing of ours: no model of a reader can be right, or wrong, by our decoder's code.
    module("Conformance/ReaderModels"),
    // Results of faulty readers, compared with the records of a stream.
    module(
      "Conformance/Readers",
      ["Analysis", "JSON", "Messages", "PacketCapture", "Platform", "ReaderModels", "Reports", "WireBytes"]),
    // Cases of a corpus, and the comparison with their expectations.
    module(
      "Conformance/Corpora",
      [
        "Analysis", "JSON", "Messages", "PacketCapture", "Platform", "Readers", "Reports", "StreamDecryption",
        "StreamInputs", "YAML",
      ]),
    // MARK: Stores
    module("Stores/TokenStores", ["JSON", "Messages", "Platform", "TimeZones", "WireBytes"]),
    module("Stores/MySQLStore", ["CLibmariadb", "Messages", "Platform", "TokenStores", "WireBytes"]),
    module("Stores/PostgreSQLStore", ["CLibpq", "Messages", "Platform", "TokenStores", "WireBytes"]),
    module("Stores/SQLiteStore", ["CSQLite", "Messages", "Platform", "TokenStores"]),
    // Which store and which table, and what people write for them: mappings in YAML, registrations in CSV.
    module(
      "Stores/Stores",
      [
        "APNsWire", "Analysis", "JSON", "Messages", "MySQLStore", "PacketCapture", "Platform",
        "PostgreSQLStore", "Reports", "SQLiteStore", "StreamInputs", "TokenStores", "WireBytes", "YAML",
      ]),
    // MARK: Lab
    // Generated inputs with their expected records, without the code of the decoders.
    module("Lab/Generator", ["CLz4", "CZlib", "CZstd"], libraries: ["z", "zstd", "lz4"]),
    // The only user of SwiftNIO.
    module(
      "Lab/MockServer",
      [
        "APNsWire", "Analysis", "CLibcrypto", "Messages", "PacketCapture", "Platform", "StreamInputs",
        "WireBytes", nio("NIOCore"),
        nio("NIOHPACK", "swift-nio-http2"),
        nio("NIOHTTP2", "swift-nio-http2"),
        nio("NIOPosix"), nio("NIOSSL", "swift-nio-ssl"),
        nio("NIOTLS"),
      ]),
    // Runs readers under test on the streams of a corpus.
    module(
      "Lab/ReaderTrials",
      [
        "Analysis", "Corpora", "JSON", "Messages", "MockServer", "Platform", "ReaderModels", "Readers",
        "Reports", "WireBytes",
      ]),
    command(
      "Lab/apnsift-lab",
      [
        "APNsWire", "Analysis", "CommandOptions", "Corpora", "Generator", "JSON", "Messages", "MockServer",
        "PacketCapture", "Platform", "ReaderTrials", "Readers", "Reports", "WireBytes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // MARK: Command
    // Options, exit codes and help of both commands.
    module(
      "Command/CommandOptions",
      [
        "APNsWire", "Analysis", "Corpora", "EvidenceReport", "JSON", "Messages", "PacketCapture", "Platform",
        "ProviderLogs", "Reports", "StreamDecryption", "StreamInputs", "TimeZones", "TokenStores",
        "WireBytes", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    command(
      "Command/apnsift",
      [
        "Analysis", "CommandOptions", "Corpora", "EvidenceReport", "JSON", "Messages", "PacketCapture",
        "Platform", "Readers", "Reports", "Stores", "StreamInputs", "TimeZones", "TokenStores", "WireBytes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // MARK: Tests
    .target(
      name: "TestSupport", dependencies: ["APNsWire"], path: "Tests/TestSupport",
      exclude: ["Captures", "Pushes", "ReaderModel", "Servers", "Stores", "Streams", "Wording"],
      swiftSettings: strict),
    // Takes the events of sources one by one.
    .target(
      name: "StreamTestSupport", dependencies: ["PacketCapture"],
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
    .target(
      name: "Wording", dependencies: ["Messages", "WireBytes"], path: "Tests/TestSupport/Wording",
      swiftSettings: strict),
    // Servers for tests, and clients that share no code with ours.
    .target(
      name: "PrivateServers", dependencies: ["CLibmariadb", "CLibpq", "Platform"],
      path: "Tests/TestSupport/Servers", swiftSettings: strict,
      linkerSettings: [.linkedLibrary("mariadb"), .linkedLibrary("pq")]),
    .testTarget(name: "MessagesTests", dependencies: ["Messages", "Wording"], swiftSettings: strict),
    .testTarget(
      name: "WireBytesTests", dependencies: ["Platform", "WireBytes", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TimeZonesTests", dependencies: ["TimeZones", "WireBytes"], swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: strict),
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
        "APNsWire", "Analysis", "JSON", "Messages", "PacketCapture", "Reports", "StreamInputs", "TestSupport",
        "TokenStores", "WireBytes",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReaderModelsTests", dependencies: ["ReaderModels", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ReadersTests",
      dependencies: ["Messages", "Readers", "ReaderModels", "ReaderTrials", "TestSupport", "Wording"],
      swiftSettings: strict),
    .testTarget(
      name: "CorporaTests", dependencies: ["Corpora", "Messages", "Wording"], swiftSettings: strict),
    .testTarget(
      name: "GeneratorTests", dependencies: ["Generator", "CaptureWriting", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "EvidenceReportTests",
      dependencies: [
        "APNsWire", "Analysis", "CaptureWriting", "EvidenceReport", "Messages", "PacketCapture",
        "Reports", "WireBytes",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoresTests",
      dependencies: [
        "Analysis", "Messages", "Platform", "StreamInputs", "Stores", "TokenStores", "YAML",
        "PushTestSupport", "TestSupport", "Wording",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MockServerTests",
      dependencies: ["APNsWire", "Analysis", "Messages", "MockServer", "Platform"],
      swiftSettings: strict),
    // The five faulty readers as programs, for `verify --reader`.
    .executableTarget(
      name: "reader-model", dependencies: ["ReaderModels", "Platform"], path: "Tests/TestSupport/ReaderModel",
      swiftSettings: strict),
    // Runs the built command. Of its code it links messages and calls of the system; the rest are its own inputs.
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "CaptureWriting", "Messages", "Platform", "PrivateServers", "TestSupport", "reader-model", "Wording",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenStoresTests",
      dependencies: ["Messages", "TokenStores", "SQLiteStore", "StoreTestSupport", "TestSupport", "Wording"],
      swiftSettings: strict),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "Messages", "TokenStores", "MySQLStore", "PostgreSQLStore", "SQLiteStore", "Stores", "PrivateServers",
        "StoreTestSupport", "TestSupport", "Wording",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MySQLStoreTests",
      dependencies: ["Messages", "MySQLStore", "PrivateServers", "TokenStores", "Wording"],
      swiftSettings: strict),
  ]
)
