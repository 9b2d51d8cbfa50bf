/// An invalid store name: wrong usage.
package struct StoreURLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line without a full stop, never with a password.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
