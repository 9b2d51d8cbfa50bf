import Basics

package struct RowValue {
  /// Valid until the row was taken.
  package var bytes: UnsafeRawBufferPointer
  /// Whether there is none.
  package var isNothing: Bool
  /// Nil unless it is a time in UTC.
  var time: CaptureTime?
}

/// Takes rows of one kind value by value, in place of an output.
package protocol RowTable: AnyObject {
  func append(_ row: [RowValue]) throws
}
