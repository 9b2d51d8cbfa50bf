import Basics

/// An invalid store name: wrong usage.
package struct StoreURLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line without a full stop, never with a password.
  package let message: Message

  package init(_ message: Message) { self.message = message }

  package var description: String { message.text }
}
