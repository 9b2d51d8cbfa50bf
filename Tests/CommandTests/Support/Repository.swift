import Foundation

/// The checkout that the tests are part of.
enum Repository {
  static let root: URL = {
    var url = URL(fileURLWithPath: #filePath)
    // Tests/CommandTests/Support/Repository.swift
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()

  /// - Parameter name: relative to the checkout.
  static func path(of name: String) -> String { root.appendingPathComponent(name).path }
}
