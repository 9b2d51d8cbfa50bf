/// What the operating system knows of this process, for documents that describe a run.
package struct ProcessFacts: Sendable {
  /// The arguments with the command, as bytes: not all are UTF-8.
  package let arguments: [[UInt8]]
  /// The working directory; nil if it was removed.
  package let directory: [UInt8]?
  /// The file of the running program.
  package let executable: String
  /// As uname(3) has them.
  package let host, system, release, version, machine: String
  package let userID: UInt32
  package let userName: String?
  /// When the facts were gathered, in seconds since 1970 and nanoseconds.
  package let time: (seconds: Int64, nanoseconds: UInt32)

  package init() {
    arguments = (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { Self.bytes($0) }
    }
    directory = getcwd(nil, 0).map { path in
      defer { free(path) }
      return Self.bytes(path)
    }
    #if canImport(Glibc)
      executable = "/proc/self/exe"
    #else
      executable = String(cString: _dyld_get_image_name(0))
    #endif
    var names = utsname()
    uname(&names)
    host = Self.text(&names.nodename)
    system = Self.text(&names.sysname)
    release = Self.text(&names.release)
    version = Self.text(&names.version)
    machine = Self.text(&names.machine)
    userID = getuid()
    userName = getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    time = Self.now()
  }

  package static func now() -> (seconds: Int64, nanoseconds: UInt32) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return (Int64(time.tv_sec), UInt32(clamping: time.tv_nsec))
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
