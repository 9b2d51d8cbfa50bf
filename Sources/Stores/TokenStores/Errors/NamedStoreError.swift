import Basics

package struct NamedStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store as the user named it.
  package var store: String
  package var reason: StoreError
  /// How many rows earlier transactions of the same command changed.
  package private(set) var changedRows = 0

  package init(store: String, reason: StoreError) { (self.store, self.reason) = (store, reason) }
  /// One line without a full stop: the store, the message and the remedy.
  package var message: Message {
    "token store \(store): \(reason.message(after: changedRows)); \(reason.remedy)"
  }
  package var description: String { message.text }

  func after(_ rows: Int) -> NamedStoreError {
    var error = self
    error.changedRows += rows
    return error
  }
}

extension SharedLibrary {
  /// - Parameters:
  ///   - package: in Debian.
  ///   - elsewhere: in other systems.
  /// - Throws: `StoreError.noLibrary` if it is missing.
  func check(package: String, elsewhere: String) throws(StoreError) {
    if functions == nil { throw .noLibrary(file, package: package, elsewhere: elsewhere) }
  }
}

extension StoreError {
  /// - Parameter privilege: with its object.
  static func journalLacks(_ privilege: String) -> StoreError {
    .notPermitted(
      "it lacks \(privilege), which the journal needs; --journal sqlite:PATH keeps the journal in a file, "
        + "--no-journal records nothing")
  }
}
