#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The operating system's word for why a call failed.
package enum SystemError {
  /// The text of an error number, by default of the last call's: `No such file or directory`.
  package static func text(_ number: Int32 = errno) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }
}
