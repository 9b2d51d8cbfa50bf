#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where temporary files go: TMPDIR, else /tmp.
enum TemporaryDirectory {
  static var path: String {
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return String(cString: value)
  }
}
