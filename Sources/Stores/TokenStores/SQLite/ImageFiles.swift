import Analysis
import Basics
import StreamInputs
import Synchronization

/// The files in a disk image, from the database that tsk_loaddb of The Sleuth Kit makes of it
/// (docs/decisions/inputs.md#54-names-of-carved-files).
package final class ImageFiles: FileNames, @unchecked Sendable {
  private let input: Input
  private let lock = Mutex(())
  /// Guarded by the lock, as all below.
  private var isLoaded = false
  private var index: ImageFileIndex?
  private var found: Message?
  private var last = FileOwner(nil, 0..<0)

  package init(_ input: Input) { self.input = input }

  package var problem: Message? {
    lock.withLock { _ in
      load()
      return found
    }
  }

  package func owner(of offset: Int) -> FileOwner {
    lock.withLock { _ in
      load()
      if !last.range.contains(offset) {
        last = (try? index?.owner(of: offset)) ?? FileOwner(nil, offset..<Int.max)
      }
      return last
    }
  }

  private func load() {
    if isLoaded { return }
    isLoaded = true
    guard let image = input.filesOfImage,
      let directory = TemporaryPath.makeDirectory("\(TemporaryDirectory.path)/apnsift-")
    else { return }
    let database = "\(directory)/files.db"
    // What is open needs no name.
    defer {
      UnfinishedFiles.end([], directories: [directory]) {
        for name in [database, "\(database)-journal"] { _ = unlink(name) }
        _ = rmdir(directory)
      }
    }
    switch Self.list(image, in: database) {
    case nil: return Self.noteMissing
    case .some(let complaint):
      found = complaint.map { "the files in it may lack names: tsk_loaddb says '\($0)'" }
      do {
        index = try ImageFileIndex(database)
      } catch {
        found = found ?? "the files in it have no names: the database of tsk_loaddb cannot be read"
      }
    }
  }

  private static let noteMissing: Void = Console.note(
    "hint: install sleuthkit and SQLite to have the files that carved records are in (tsk_loaddb)")

  // MARK: - tsk_loaddb

  /// An image may be made to keep a program busy: seconds of the processor, and KiB of memory.
  private static let limits = "ulimit -c 0; ulimit -t 3600; ulimit -v 4194304"

  /// Before each complaint.
  private static let mark = "Error: ".utf8

  /// Lists the files of an image in a new database; returns what the program complains of. Nil if it is missing.
  private static func list(_ image: [[CChar]], in database: String) -> Message?? {
    guard sqliteLibrary.functions != nil, let log = TemporaryPath.makeUnnamedFile(database)
    else { return nil }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { for descriptor in [log, null] { _ = close(descriptor) } }
    let words = ["/bin/sh", "-c", "\(limits); exec tsk_loaddb -d \"$0\" \"$@\"", database]
    // A name is no option.
    let paths = image.map { path in
      path.first == CChar(UInt8(ascii: "-")) ? "./".utf8CString.dropLast() + path : path
    }
    guard
      let program = SpawnedProcess(
        words.map { Array($0.utf8CString) } + paths, descriptors: [null, null, log])
    else { return nil }
    let status = program.wait()
    let missing = 127 << 8
    if status == missing { return nil }
    var text = [UInt8](repeating: 0, count: 500)
    let length = pread(log, &text, text.count, 0)
    let lines = text.prefix(max(0, length)).split(separator: UInt8(ascii: "\n"))
    for line in lines.map({ $0.starts(with: mark) ? $0.dropFirst(mark.count) : $0 }) where !line.isEmpty {
      return .verbatim(String(decoding: line, as: UTF8.self))
    }
    return status == 0 ? .some(nil) : "status \(status)"
  }
}

/// The runs of blocks in the database of tsk_loaddb, by their offsets in the image.
private struct ImageFileIndex {
  private let lookUp: PreparedStatement
  /// The bytes of file systems.
  private var systems: [Range<Int>] = []
  /// The longest run of each kind, in bytes.
  private var longest: [Int64] = [0, 0, 0]

  private static let sector = 512
  /// Kinds of runs: of allocated files, of deleted ones, and of none. The offsets of files are of their file system, those
  /// of files named `Unalloc_…` (type 4) of the image. The runs of a file with slack are those of `NAME-slack` (type 7),
  /// whose size is that of the slack.
  private static let tables = """
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE runs AS
    SELECT CASE WHEN f.type = 4 THEN 2 ELSE NOT f.meta_flags & 1 END AS kind, run.obj_id AS file,
      run.byte_start + CASE WHEN f.type = 4 THEN 0 ELSE s.img_offset END AS start, run.byte_len AS length,
      sum(run.byte_len) OVER (PARTITION BY run.obj_id ORDER BY run.sequence DESC) - run.byte_len AS later
    FROM tsk_file_layout AS run JOIN tsk_files AS f USING (obj_id) JOIN tsk_fs_info AS s ON s.obj_id = f.fs_obj_id;
    CREATE INDEX runs_start ON runs (kind, start DESC, file)
    """
  private static let owner = """
    SELECT start + length, start + length + later - ifnull(slack.size, 0), f.meta_addr,
      f.parent_path || CASE f.type WHEN 7 THEN substr(f.name, 1, length(f.name) - length('-slack')) ELSE f.name END
    FROM runs JOIN tsk_files AS f ON f.obj_id = file
    LEFT JOIN tsk_files AS slack
      ON slack.obj_id = file + (f.type <> 7) AND slack.type = 7 AND slack.meta_addr = f.meta_addr
    WHERE kind = ?1 AND start BETWEEN ?2 - ?3 AND ?2 AND start + length > ?2
    ORDER BY start DESC, file LIMIT 1
    """

  init(_ path: String) throws {
    let connection = try SQLiteConnection(path: StorePath.literal(path), readOnly: false, lockTimeout: .zero)
    try connection.run(Self.tables)
    var (systems, longest) = ([Range<Int>](), self.longest)
    let ranges = "SELECT img_offset, block_size * block_count FROM tsk_fs_info WHERE img_offset >= 0"
    try PreparedStatement(connection, ranges).visit { row in
      let start = Int(row[0].integer ?? 0)
      systems.append(start..<max(start, start.addingReportingOverflow(Int(row[1].integer ?? 0)).partialValue))
    }
    try PreparedStatement(connection, "SELECT kind, max(length) FROM runs GROUP BY kind").visit { row in
      if let kind = row[0].integer, longest.indices.contains(Int(kind)) {
        longest[Int(kind)] = row[1].integer ?? 0
      }
    }
    (self.systems, self.longest) = (systems, longest)
    lookUp = try PreparedStatement(connection, Self.owner)
  }

  /// Files come before deleted ones, whose blocks they may have, and both before what is unallocated.
  func owner(of offset: Int) throws -> FileOwner {
    // Other owners begin at sectors, but slack does not.
    let sector = offset..<(offset / Self.sector + 1) * Self.sector
    var owner: FileOwner?
    for kind in longest.indices where owner == nil {
      lookUp.bind(.integer(Int64(kind)), at: 1)
      lookUp.bind(.integer(Int64(offset)), at: 2)
      lookUp.bind(.integer(longest[kind]), at: 3)
      try lookUp.visit { row in
        let end = max(offset + 1, Int(row[0].integer ?? 0))
        let slack = min(end, Int(row[1].integer ?? 0))
        let isSlack = offset >= slack
        let range = (offset..<(isSlack ? end : slack)).clamped(to: kind == 0 ? 0..<Int.max : sector)
        owner =
          kind == 2
          ? FileOwner(.unallocated, range)
          : FileOwner(
            path: row[3].text, inode: row[2].integer.map { Int($0) },
            isSlack ? .slack : kind == 0 ? .allocated : .deleted, range)
      }
    }
    let isMetadata = systems.contains { $0.contains(offset) }
    return owner ?? FileOwner(isMetadata ? .allocated : nil, sector)
  }
}
