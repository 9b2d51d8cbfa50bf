/// Why a text names no store: wrong usage.
package struct StoreURLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line without a full stop at its end: what was expected and found, and what to do. A password is never in it.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
