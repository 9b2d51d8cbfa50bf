/// What stands at a place where a record must begin and no sound one does. Indices are of the window.
enum RecordVerdict {
  /// A record up to `end` if no other begins in it. `isReadable`: then it is read all the same; `flaw` are
  /// those of its bytes that are wrong or missing, to be told behind it.
  case doubtful(end: Int, isReadable: Bool, flaw: Range<Int>?)
  /// No record can begin so.
  case broken
  /// It takes so many bytes from the place on to tell.
  case needs(Int)
  /// The file ends here.
  case ended
}

/// Whether a record begins at a place that nothing points to.
enum RecordBelief {
  case yes, no
  /// Not here, nor before that index of the window.
  case noneBefore(Int)
  /// It takes so many bytes from the place on to tell.
  case needs(Int)
}

/// One format of capture files, without what is common to them: how to go on behind damage (`RecordWalk`).
protocol RecordFormat {
  /// How many packets have been read.
  var packets: Int { get }
  /// What the format calls its records.
  static var unit: String { get }

  /// Reads what stands before the first record; nil where that is nothing.
  mutating func readHead(
    at place: Int, in window: RawSpan, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step?

  /// Reads the record at `place` if all of it is as it should be and what stands behind it bears it out: the one
  /// step for nearly all records. Nil, and nothing has changed, where that is not so or the window is too short
  /// to tell; `judge` says which.
  mutating func readSound(
    at place: Int, in window: RawSpan, windowOffset: Int, isLast: Bool
  ) -> CaptureRecords.Step?

  func judge(at place: Int, in window: RawSpan, isLast: Bool) -> RecordVerdict

  /// Reads a record that was judged to end at `end`; `isCut` if the file ends there, and the record would not.
  mutating func read(
    at place: Int, to end: Int, isCut: Bool, in window: RawSpan, windowOffset: Int
  ) -> CaptureRecords.Step

  /// Must answer `no` for nearly all bytes that are no record, and take the same time everywhere but for what
  /// `noneBefore` saves.
  /// - Parameter doubted: the place of the doubtful record that is searched for another.
  func believes(at place: Int, doubted: Int?, in window: RawSpan, isLast: Bool) -> RecordBelief

  /// Why what stands at `place` was not read, in words.
  func flaw(at place: Int, in window: RawSpan) -> String

  /// What stands at `place` will not be read.
  mutating func giveUp(at place: Int, in window: RawSpan)

  /// Reading goes on at `place`, which is believed.
  mutating func resume(at place: Int, in window: RawSpan)
}
