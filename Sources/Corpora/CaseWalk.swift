import Platform

/// Finds the cases of a corpus. A directory with a `case.yml`, an `expected.ndjson` or an `input.*` that is no directory
/// itself is a case, whole or not; others are walked, in the byte order of the names in each. Links to directories are not followed.
package struct CaseWalk {
  package private(set) var cases: [CaseDirectory] = []
  /// What could not be walked: its name, and why.
  package private(set) var faults: [String] = []

  /// Directories nested deeper are not entered, and said so: a guard against loops of mounts.
  private static let maxDepth = 128

  /// - Parameter directories: as they were named. Of several, names of cases begin with the directory's.
  package init(_ directories: [String]) {
    var paths = ArgumentPaths()
    for directory in directories {
      let path = Self.trimmed(paths.path(of: directory))
      let found = cases.count
      let failed = faults.count
      walk(path, name: directories.count > 1 ? directory : "", named: directory, depth: 0)
      if cases.count == found, faults.count == failed {
        faults.append(
          "\(directory): expected cases, found none; a case is a directory with input.*, \(CaseFiles.description) and "
            + CaseFiles.expectation)
      }
    }
  }

  private mutating func walk(_ path: [CChar], name: String, named: String, depth: Int) {
    let shown = name.isEmpty ? named : name
    guard depth < Self.maxDepth else {
      faults.append("\(shown): is nested more than \(Self.maxDepth) directories deep; name it itself")
      return
    }
    guard let members = DirectoryEntry.names(in: path) else {
      faults.append(
        "\(shown): expected a directory of cases, found that it cannot be listed: \(SystemError.text())")
      return
    }
    // Named itself, a case is called by its directory's own name.
    let own = name.isEmpty ? Self.lastPart(of: named) : name
    if let one = Self.directory(path, name: own, members: members) {
      cases.append(one)
      return
    }
    for member in members {
      let inside = DirectoryEntry.path(of: member, in: path)
      guard DirectoryEntry.kind(of: inside, followingLinks: false) == S_IFDIR else { continue }
      let memberName = DirectoryEntry.text(of: member)
      walk(
        inside, name: name.isEmpty ? memberName : "\(name)/\(memberName)", named: named,
        depth: depth + 1)
    }
  }

  /// The case that a directory is by its members; nil where it is none.
  private static func directory(_ path: [CChar], name: String, members: [[CChar]]) -> CaseDirectory? {
    var found = CaseDirectory(name: name, path: path)
    var isCase = false
    for member in members {
      switch DirectoryEntry.text(of: member) {
      case CaseFiles.description: found.hasDescription = true
      case CaseFiles.expectation: found.hasExpectation = true
      case let name where name.hasPrefix(CaseFiles.inputPrefix): found.inputs.append(member)
      default: continue
      }
      // Directories of cases may have such names as well.
      let kind = DirectoryEntry.kind(of: DirectoryEntry.path(of: member, in: path), followingLinks: false)
      isCase = isCase || kind != S_IFDIR
    }
    return isCase ? found : nil
  }

  // MARK: - Names

  private static func lastPart(of directory: String) -> String {
    directory.split(separator: "/").last.map(String.init) ?? directory
  }

  /// Without slashes at its end, unless it is the root.
  private static func trimmed(_ path: [CChar]) -> [CChar] {
    var bytes = path.dropLast()
    while bytes.count > 1, bytes.last == CChar(bitPattern: UInt8(ascii: "/")) { bytes.removeLast() }
    return bytes + [0]
  }
}
