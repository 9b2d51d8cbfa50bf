/// Arguments as the system passed them. Swift repairs those that are not UTF-8, and no file has the repaired
/// name.
struct ArgumentPaths {
  /// The NUL-terminated bytes of the arguments, by what Swift makes of them, in the order they were given.
  private var bytes: [String: ArraySlice<[CChar]>] = [:]

  init() {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      let text = String(cString: argument)
      bytes[text, default: []].append(Self.copy(argument))
    }
  }

  /// The path that `argument` was given as; of several that Swift takes for the same, the next one.
  mutating func path(of argument: String) -> [CChar] {
    bytes[argument]?.popFirst() ?? Array(argument.utf8CString)
  }

  private static func copy(_ argument: UnsafePointer<CChar>) -> [CChar] {
    var length = 0
    while argument[length] != 0 { length += 1 }
    return Array(UnsafeBufferPointer(start: argument, count: length + 1))
  }
}
