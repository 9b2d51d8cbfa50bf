import Platform

/// Files that are taken away where a signal ends the process: outputs under their temporary names, and files that
/// only this process needs.
enum UnfinishedFiles {
  /// No command has more.
  private static let capacity = 8
  /// Read by a signal handler, so it is plain memory: a name each, or nil.
  nonisolated(unsafe) private static let names = {
    let names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
    names.initialize(repeating: nil, count: capacity)
    return names
  }()

  /// Makes what a signal handler uses.
  static func prepare() { _ = names[0] }

  static func add(_ name: String) {
    Interruption.arm()
    if let free = (0..<capacity).first(where: { names[$0] == nil }) { names[free] = strdup(name) }
  }

  static func remove(_ name: String) {
    for index in 0..<capacity {
      guard let known = names[index], String(cString: known) == name else { continue }
      names[index] = nil
      free(known)
    }
  }

  /// Takes all away; runs in a signal handler.
  static func unlink() {
    for index in 0..<capacity {
      guard let name = names[index] else { continue }
      _ = Platform.unlink(name)
    }
  }
}
