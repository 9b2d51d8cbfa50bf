import Analysis
import Reports

/// What `show` is asked for.
enum ShowTarget: Equatable {
  /// The record of that number, from 1, in the order of export.
  case record(Int)
  /// The record, or other bytes, at that offset of a direction, in bytes from 0.
  case offset(Int)
  /// What the packet of that number, from 1, brought.
  case packet(Int)
}

/// A place of a stream that is shown: a record, or bytes that are none.
struct ShownPlace {
  var labels: StreamLabels
  var direction: Direction
  /// Offset of the first byte in the direction, from 0.
  var offset: Int
  var fileOffset: Int?
  var packet: Int?
  /// What it is: `feedback tuple`.
  var kind: String
  var bytes: [UInt8]
  var fields: [DumpField]
  /// What is to be said of it: flags, an outcome.
  var remarks: [String]

  var end: Int { offset + bytes.count }
}
