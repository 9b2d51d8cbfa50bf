import Basics

/// Finds the cases of a corpus. A directory with a `case.yml`, an `expected.ndjson` or an `input.*` that is not a
/// directory is a case, complete or not. Directories in it are walked, too, in the byte order of names, without
/// following links.
package struct CaseWalk {
  package private(set) var cases: [CaseDirectory] = []
  /// Directories that could not be walked: the name and the reason.
  package private(set) var errors: [Message] = []

  /// Deeper directories are not entered but reported, as a guard against mount loops.
  private static let maxDepth = 128

  /// - Parameter directories: as on the command line. With several, case names begin with the directory's name.
  package init(_ directories: [String]) {
    var paths = ArgumentPaths()
    for directory in directories {
      let path = paths.path(of: directory)
      let found = cases.count
      let failed = errors.count
      walk(path, name: directories.count > 1 ? directory : "", named: directory, depth: 0)
      if cases.count == found, errors.count == failed {
        errors.append(
          .about(
            directory, "no cases found; a case is a directory with input.*, case.yml and expected.ndjson"))
      }
    }
  }

  private mutating func walk(_ path: [CChar], name: String, named: String, depth: Int) {
    let shown = name.isEmpty ? named : name
    guard depth < Self.maxDepth else {
      return errors.append(
        .about(shown, "nested more than \(Self.maxDepth) directories deep; name the directory itself"))
    }
    guard let members = DirectoryEntry.names(in: path) else {
      return errors.append(.about(shown, "cannot list this directory: \(SystemError.text())"))
    }
    // A case named on the command line gets its directory's own name.
    let own = name.isEmpty ? named.split(separator: "/").last.map(String.init) ?? named : name
    if let one = Self.directory(path, name: own, members: members) { cases.append(one) }
    for member in members {
      let inside = DirectoryEntry.path(of: member, in: path)
      guard DirectoryEntry.kind(of: inside, followingLinks: false) == S_IFDIR else { continue }
      let memberName = DirectoryEntry.text(of: member)
      walk(
        inside, name: name.isEmpty ? memberName : "\(name)/\(memberName)", named: named,
        depth: depth + 1)
    }
  }

  /// The directory as a case; nil if it is not one.
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
      // Subdirectories may have these names as well.
      let kind = DirectoryEntry.kind(of: DirectoryEntry.path(of: member, in: path), followingLinks: false)
      isCase = isCase || kind != S_IFDIR
    }
    return isCase ? found : nil
  }
}
