// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "dead-tokens",
  platforms: [.macOS(.v26)],
  // In a project of your own: .package(url: "…/apnsift", from: "1.0.0").
  dependencies: [.package(name: "apnsift", path: "../..")],
  targets: [
    .executableTarget(name: "dead-tokens", dependencies: [.product(name: "APNsWire", package: "apnsift")]),
    .executableTarget(name: "small-dump", dependencies: [.product(name: "APNsWire", package: "apnsift")]),
    // Needs the headers of libnghttp2 (Debian: libnghttp2-dev), and to run the library.
    .executableTarget(name: "push-answers", dependencies: [.product(name: "APNsPushes", package: "apnsift")]),
  ]
)
