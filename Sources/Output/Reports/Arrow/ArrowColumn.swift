/// The values of a column until its batch is written.
final class ArrowColumn {
  let type: ArrowType
  private(set) var count = 0
  private(set) var nullCount = 0
  /// A bit for each value, from the lowest bit of the first byte on; empty as long as there are no nulls.
  private let validity = OutputBuffer(nil)
  /// Ends of the values in `data`, or in the elements of a list, after a first 0; empty for types of fixed size.
  private let offsets = OutputBuffer(nil)
  private let data = OutputBuffer(nil)
  /// The elements of a list; nil for other types.
  private let elements: ArrowColumn?

  init(_ type: ArrowType) throws {
    self.type = type
    elements = try type.element.map { try ArrowColumn($0) }
    try removeAll()
  }

  func removeAll() throws {
    (count, nullCount) = (0, 0)
    validity.removeAll()
    data.removeAll()
    offsets.removeAll()
    if !type.isFixed { try offsets.append([0, 0, 0, 0]) }
    try elements?.removeAll()
  }

  /// Bytes of values, about.
  var byteCount: Int { data.count &+ offsets.count &+ (elements?.byteCount ?? 0) }

  // MARK: - Values

  /// Appends `value`, in the encoding of `RowStyle.arrow`, `times` times.
  func append(_ value: UnsafeRawBufferPointer, isNull: Bool, times: Int = 1) throws {
    try mark(isNull: isNull, times)
    if let elements {
      for _ in 0..<times {
        try appendElements(of: value, to: elements)
        try appendOffsets(1, of: 0, from: elements.count)
      }
    } else if type.isFixed {
      try appendNumbers(times) { _ in value.count == 8 ? value.loadUnaligned(as: Int64.self) : 0 }
    } else {
      let start = data.count
      try appendCopies(of: value, times)
      try appendOffsets(times, of: value.count, from: start &+ value.count)
    }
  }

  /// Appends numbers, none of which is null.
  @inline(__always)
  func append(numbers count: Int, _ number: (_ index: Int) -> Int64) throws {
    try mark(isNull: false, count)
    try appendNumbers(count, number)
  }

  /// Appends values of `length` bytes, none of which is null.
  /// - Parameter write: writes all of them.
  @inline(__always)
  func append(values count: Int, of length: Int, _ write: (UnsafeMutableRawPointer) -> Void) throws {
    try mark(isNull: false, count)
    let start = data.count
    try data.extend(count &* length) { target in
      write(target)
      return count &* length
    }
    try appendOffsets(count, of: length, from: start &+ length)
  }

  @inline(__always)
  private func appendNumbers(_ count: Int, _ number: (_ index: Int) -> Int64) throws {
    try data.extend(8 &* count) { target in
      for index in 0..<count {
        target.storeBytes(of: number(index).littleEndian, toByteOffset: 8 &* index, as: Int64.self)
      }
      return 8 &* count
    }
  }

  /// Each copy doubles what is there.
  private func appendCopies(of value: UnsafeRawBufferPointer, _ times: Int) throws {
    guard let source = value.baseAddress, times > 0 else { return }
    let length = value.count &* times
    try data.extend(length) { target in
      target.copyMemory(from: source, byteCount: value.count)
      var done = value.count
      while done < length {
        let next = min(done, length &- done)
        (target + done).copyMemory(from: target, byteCount: next)
        done &+= next
      }
      return length
    }
  }

  /// - Parameters:
  ///   - length: the distance between two ends.
  ///   - end: the first end.
  private func appendOffsets(_ count: Int, of length: Int, from end: Int) throws {
    try offsets.extend(4 &* count) { target in
      for index in 0..<count {
        let end = Int32(truncatingIfNeeded: end &+ index &* length)
        target.storeBytes(of: end.littleEndian, toByteOffset: 4 &* index, as: Int32.self)
      }
      return 4 &* count
    }
  }

  /// Numbers of 8 bytes, or texts after their length in 4 bytes.
  private func appendElements(of list: UnsafeRawBufferPointer, to elements: ArrowColumn) throws {
    var start = 0
    while start < list.count {
      var length = 8
      if !elements.type.isFixed {
        length = Int(list.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        start &+= 4
      }
      try elements.append(UnsafeRawBufferPointer(rebasing: list[start..<start &+ length]), isNull: false)
      start &+= length
    }
  }

  // MARK: - Nulls

  private func mark(isNull: Bool, _ times: Int) throws {
    if isNull || nullCount > 0 {
      if nullCount == 0 { try appendBits(true, from: 0, to: count) }
      try appendBits(!isNull, from: count, to: count &+ times)
      if isNull { nullCount &+= times }
    }
    count &+= times
  }

  private func appendBits(_ bit: Bool, from start: Int, to end: Int) throws {
    let bytes = (end &+ 7) / 8
    try validity.extend(bytes &- validity.count) { target in
      let added = bytes &- validity.count
      for index in 0..<added { target.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
      return added
    }
    guard bit else { return }
    validity.change { all in
      for index in start..<end { all[index / 8] |= 1 << UInt8(truncatingIfNeeded: index % 8) }
    }
  }

  // MARK: - Batches

  /// The lengths of this column and its elements: values and nulls.
  var nodes: [(Int, Int)] { [(count, nullCount)] + (elements?.nodes ?? []) }

  /// The buffers of this column and its elements.
  var buffers: [OutputBuffer] {
    let own =
      type.isFixed ? [validity, data] : elements == nil ? [validity, offsets, data] : [validity, offsets]
    return own + (elements?.buffers ?? [])
  }
}
