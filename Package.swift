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
///   - resources: files that are embedded, so that the installed command is one file.
///   - libraries: of the system, linked rather than loaded when they are needed.
func module(
  _ path: String, _ dependencies: [Target.Dependency] = [], resources: [String] = [], libraries: [String] = []
) -> Target {
  .target(
    name: String(path.split(separator: "/")[1]), dependencies: dependencies, path: "Sources/\(path)",
    resources: resources.map { .embedInCode($0) }, swiftSettings: strict,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

func command(_ path: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: String(path.split(separator: "/")[1]), dependencies: dependencies, path: "Sources/\(path)",
    swiftSettings: strict, linkerSettings: selfContained)
}

/// What several test targets share, in a folder of Tests/TestSupport.
func support(
  _ name: String, _ folder: String, _ dependencies: [Target.Dependency] = [], libraries: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/TestSupport/\(folder)", swiftSettings: strict,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// For tests that wait for servers or processes: to optimise them takes more time than it saves.
let unoptimised = strict + [.unsafeFlags(["-Onone"])]

func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], libraries: [String] = [], areWaiting: Bool = false
) -> Target {
  .testTarget(
    name: name, dependencies: ["Basics", "TestSupport", "Wording"] + dependencies,
    swiftSettings: areWaiting ? unoptimised : strict, linkerSettings: libraries.map { .linkedLibrary($0) })
}

func commandTests(_ area: String) -> Target {
  .testTarget(
    name: "\(area)CommandTests",
    dependencies: [
      "Basics", "CaptureWriting", "CommandTestSupport", "PrivateServers", "TestSupport", "Wording",
      "reader-model",
    ],
    path: "Tests/CommandTests/\(area)",
    swiftSettings: unoptimised)
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
    // Apple's old binary protocol, without calls of the system.
    .library(name: "APNsWire", targets: ["APNsWire"]),
    // Today's pushes, which need libnghttp2.
    .library(name: "APNsPushes", targets: ["APNsPushes", "APNsWire"]),
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
    // libcrypto is linked; all others are loaded when they are needed (docs/decisions/building.md#46-loaded-libraries).
    library("CBzip2", apt: "libbz2-dev", yum: "bzip2-devel", brew: "bzip2"),
    library("CLibarchive", apt: "libarchive-dev", yum: "libarchive-devel", brew: "libarchive"),
    library("CLibcrypto", apt: "libssl-dev", yum: "openssl-devel", brew: "openssl@3", pkgConfig: "libcrypto"),
    library("CLibewf", apt: "libewf-dev", yum: "libewf-devel", brew: "libewf"),
    library("CLibmagic", apt: "libmagic-dev", yum: "file-devel", brew: "libmagic"),
    library(
      "CLibmariadb", apt: "libmariadb-dev", yum: "mariadb-connector-c-devel", brew: "mariadb-connector-c"),
    library("CLibnghttp2", apt: "libnghttp2-dev", yum: "libnghttp2-devel", brew: "libnghttp2"),
    library("CLibpcap", apt: "libpcap-dev", yum: "libpcap-devel", brew: "libpcap"),
    library("CLibpcre2", apt: "libpcre2-dev", yum: "pcre2-devel", brew: "pcre2"),
    library("CLibpq", apt: "libpq-dev", yum: "libpq-devel", brew: "libpq"),
    library("CLibyaml", apt: "libyaml-dev", yum: "libyaml-devel", brew: "libyaml"),
    library("CLz4", apt: "liblz4-dev", yum: "lz4-devel", brew: "lz4"),
    library("CLzma", apt: "liblzma-dev", yum: "xz-devel", brew: "xz"),
    library("CSQLite", apt: "libsqlite3-dev", yum: "sqlite-devel", brew: "sqlite"),
    library("CZlib", apt: "zlib1g-dev", yum: "zlib-devel", brew: "zlib"),
    library("CZstd", apt: "libzstd-dev", yum: "libzstd-devel", brew: "zstd"),

    // MARK: System
    // Loops over bytes by the widest registers that the processor has. In C, whose compiler makes a version for each.
    .target(name: "WideBytes", path: "Sources/System/WideBytes"),
    // Integers, hex, UTF-8 and JSON in bytes, without the system: all that the decoders of Wire need.
    module("System/WireBytes", ["WideBytes"]),
    // Times, JSON, files, signals, threads, and shared sentences. Its users get WireBytes, too.
    module("System/Basics", ["WireBytes"]),
    // Small files in YAML. The only user of libyaml.
    module("System/YAML", ["Basics", "CLibyaml"]),
    // MARK: Wire
    // The old protocol: decoders of feedback, requests and responses.
    module("Wire/APNsWire", ["WireBytes"]),
    // HTTP/2 header blocks, and the pushes of a connection. The only user of libnghttp2.
    module("Wire/APNsPushes", ["APNsWire", "Basics", "CLibnghttp2"]),
    // MARK: Input
    // Capture files to streams of bytes. The only user of libpcap.
    module("Input/PacketCapture", ["Basics", "CLibpcap"]),
    // Lines of providers' logs and lists. The only user of PCRE2.
    module(
      "Input/ProviderLogs", ["APNsWire", "Basics", "CLibpcre2", "YAML"],
      resources: ["forms.yml", "names.txt"]),
    // Files, compression, archives, disk images, formats, carving, text dumps, exports of other tools.
    module(
      "Input/StreamInputs",
      [
        "APNsWire", "Basics", "CBzip2", "CLibarchive", "CLibcrypto", "CLibewf", "CLibmagic", "CLz4", "CLzma",
        "CZlib", "CZstd", "PacketCapture", "ProviderLogs", "WideBytes",
      ]),
    // Events of TLS streams to events of their plaintext.
    module(
      "Input/TLSDecryption", ["Basics", "CLibcrypto", "PacketCapture", "StreamInputs"],
      resources: ["Suites/suites.txt"]),
    // MARK: Analysis
    // From events to records and findings; correlation; distinct tokens; recorded streams.
    module(
      "Analysis/Analysis",
      ["APNsPushes", "APNsWire", "Basics", "PacketCapture", "ProviderLogs", "StreamInputs", "TLSDecryption"],
      resources: ["Catalogue/catalogue.txt"]),
    // MARK: Output
    // From records to CSV, JSON and text.
    module(
      "Output/Reports",
      ["APNsPushes", "APNsWire", "Analysis", "Basics", "CLibcrypto", "PacketCapture", "StreamInputs"],
      resources: ["Dissector/apns.lua", "Rows/columns.txt"]),
    // The HTML page, and redaction.
    module(
      "Output/EvidenceReport",
      [
        "APNsWire", "Analysis", "Basics", "CLibcrypto", "Conformance", "PacketCapture", "Reports",
        "StreamInputs",
      ], resources: ["limits.html", "report.css", "report.js", "texts.txt"]),
    // MARK: Conformance
    // Models of five faulty readers. Imports nothing of ours: none can be right, or wrong, by our decoder's code.
    module("Conformance/ReaderModels"),
    // Cases of a corpus and results of readers, compared with the records of a stream.
    module(
      "Conformance/Conformance",
      [
        "Analysis", "Basics", "PacketCapture", "ReaderModels", "Reports", "StreamInputs", "TLSDecryption",
        "YAML",
      ]),
    // MARK: Stores
    // The replay rule, registrations, undo and journal, over any session of SQL; mappings.
    module(
      "Stores/TokenStores",
      [
        "APNsWire", "Analysis", "Basics", "CLibmariadb", "CLibpq", "CSQLite", "PacketCapture", "ProviderLogs",
        "Reports", "StreamInputs", "YAML",
      ]),
    // MARK: Lab
    // Generated inputs with their expected records, without the code of the decoders.
    module("Lab/Generator", ["CLz4", "CZlib", "CZstd"], libraries: ["lz4", "z", "zstd"]),
    // Servers for clients, and trials of readers on the streams of a corpus. The only user of SwiftNIO.
    module(
      "Lab/MockServer",
      [
        "APNsWire", "Analysis", "Basics", "CLibcrypto", "Conformance", "Generator", "PacketCapture",
        "ReaderModels", "Reports", "StreamInputs", nio("NIOCore"), nio("NIOHPACK", "swift-nio-http2"),
        nio("NIOHTTP2", "swift-nio-http2"), nio("NIOPosix"), nio("NIOSSL", "swift-nio-ssl"), nio("NIOTLS"),
      ]),
    // The command that generates inputs, serves them, and tests readers.
    command(
      "Lab/apnsift-lab",
      [
        "APNsWire", "Analysis", "Basics", "CommandOptions", "Conformance", "Generator", "MockServer",
        "PacketCapture", "Reports",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // MARK: Command
    // Options, exit codes and help of both commands.
    module(
      "Command/CommandOptions",
      [
        "APNsWire", "Analysis", "Basics", "Conformance", "EvidenceReport", "PacketCapture", "ProviderLogs",
        "Reports", "StreamInputs", "TLSDecryption", "TokenStores", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The command.
    command(
      "Command/apnsift",
      [
        "APNsWire", "Analysis", "Basics", "CommandOptions", "Conformance", "EvidenceReport", "PacketCapture",
        "ProviderLogs", "Reports", "StreamInputs", "TokenStores",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // MARK: Tests
    support("TestSupport", "Bytes", ["APNsWire"]),
    // Takes the events of sources one by one.
    support("StreamTestSupport", "Streams", ["PacketCapture"]),
    support(
      "StoreTestSupport", "Stores", ["Basics", "CSQLite", "PrivateServers", "TestSupport", "TokenStores"],
      libraries: ["sqlite3"]),
    support("PushTestSupport", "Pushes", ["APNsWire", "Analysis", "Basics", "PacketCapture"]),
    // Depends on nothing, so that no capture can be right by sharing code with its reader.
    support("CaptureWriting", "Captures"),
    support("Wording", "Wording", ["Basics"]),
    // Servers for tests, and clients that share no code with ours.
    support("PrivateServers", "Servers", ["Basics", "CLibmariadb", "CLibpq"], libraries: ["mariadb", "pq"]),
    // Runs the built commands. Of their code it links messages and calls of the system.
    support("CommandTestSupport", "Commands", ["Basics", "CaptureWriting", "TestSupport"]),
    // The five faulty readers as programs, for `verify --reader`.
    .executableTarget(
      name: "reader-model", dependencies: ["Basics", "ReaderModels"], path: "Tests/TestSupport/ReaderModel",
      swiftSettings: strict),
    tests("MessagesTests"),
    tests("WireBytesTests"),
    tests("TimeZonesTests"),
    tests("JSONTests"),
    tests("APNsWireTests", ["APNsWire"]),
    tests("HTTP2Tests", ["APNsPushes", "APNsWire"]),
    tests("ProviderLogsTests", ["APNsWire", "ProviderLogs", "YAML"]),
    tests(
      "PacketCaptureTests", ["CLibpcap", "CaptureWriting", "PacketCapture", "StreamTestSupport"],
      libraries: ["pcap"]),
    tests("TLSDecryptionTests", ["PacketCapture", "StreamInputs", "TLSDecryption"]),
    tests("StreamInputsTests", ["PacketCapture", "StreamInputs", "StreamTestSupport"]),
    tests("AnalysisTests", ["APNsWire", "Analysis", "PacketCapture", "PushTestSupport", "StreamInputs"]),
    tests(
      "ReportsTests", ["APNsWire", "Analysis", "PacketCapture", "Reports", "StreamInputs", "TokenStores"]),
    tests("ReaderModelsTests", ["ReaderModels"]),
    tests("ReadersTests", ["Conformance", "MockServer", "ReaderModels"]),
    tests("CorporaTests", ["Conformance"]),
    tests("GeneratorTests", ["Generator"]),
    tests(
      "EvidenceReportTests",
      [
        "APNsWire", "Analysis", "CaptureWriting", "EvidenceReport", "PacketCapture", "PushTestSupport",
        "Reports",
      ]),
    tests("StoresTests", ["Analysis", "PushTestSupport", "StreamInputs", "TokenStores", "YAML"]),
    tests(
      "MockServerTests", ["APNsWire", "Analysis", "Conformance", "Generator", "MockServer"], areWaiting: true),
    tests("TokenStoresTests", ["StoreTestSupport", "TokenStores"]),
    // What SQLite, PostgreSQL and MariaDB do alike; the next two have what one of them does besides.
    tests("EveryStoreTests", ["PrivateServers", "StoreTestSupport", "TokenStores"], areWaiting: true),
    tests("PostgreSQLStoreTests", ["PrivateServers", "StoreTestSupport", "TokenStores"], areWaiting: true),
    tests("MySQLStoreTests", ["PrivateServers", "TokenStores"], areWaiting: true),
    // The built commands as people run them, by area, so that a changed line compiles one area.
  ] + ["Captures", "Gateway", "Inputs", "Lab", "Output", "Replay"].map(commandTests)
)
