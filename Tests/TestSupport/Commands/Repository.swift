import Foundation

/// The checkout that the tests are part of.
package enum Repository {
  package static let root: URL = {
    var url = URL(fileURLWithPath: #filePath)
    // Tests/TestSupport/Commands/Repository.swift
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()

  /// - Parameter name: relative to the checkout.
  package static func path(of name: String) -> String { root.appendingPathComponent(name).path }
}
