import Basics

/// A store that failed, and why.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The store as the user named it.
  package var store: String
  package var fault: StoreFault

  package init(store: String, fault: StoreFault) {
    self.store = store
    self.fault = fault
  }

  /// One line without a full stop: the store, the problem and the remedy.
  package var message: Message { "token store \(store): \(fault.problem); \(fault.remedy)" }

  package var description: String { message.text }
}

extension SharedLibrary {
  /// - Parameters:
  ///   - package: in Debian.
  ///   - elsewhere: in other systems.
  /// - Throws: `StoreFault.noLibrary` if it is missing.
  func check(package: String, elsewhere: String) throws(StoreFault) {
    if functions == nil { throw .noLibrary(file, package: package, elsewhere: elsewhere) }
  }
}

extension StoreFault {
  /// - Parameter privilege: with its object.
  static func journalLacks(_ privilege: String) -> StoreFault {
    .notPermitted(
      "it lacks \(privilege), which the journal needs; --journal sqlite:PATH keeps the journal in a file, "
        + "--no-journal records nothing")
  }
}
