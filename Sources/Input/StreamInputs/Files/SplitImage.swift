/// A raw image in several files: `NAME.001`, `NAME.002` and so on, or from `NAME.000` on.
///
/// Files of other kinds have such names, too, such as rotated dumps. The parts of an image are whole sectors, and all but
/// the last one have the same size.
enum SplitImage {
  private static let sectorLength = 512
  /// Shorter files are hardly parts of an image.
  private static let shortestPart = 4096
  private static let maxParts = 10_000

  /// The paths of the parts after the first one, at `path`; none if that is not the first part of an image.
  static func parts(after path: [CChar]) -> [[CChar]] {
    guard let number = PartName(path), number.value < 2, let size = Input.size(of: path),
      size >= shortestPart, size % sectorLength == 0
    else { return [] }
    // An image that begins with 000 has a first part before 001.
    if number.value == 1, Input.size(of: number.path(0)) != nil { return [] }
    var parts: [[CChar]] = []
    while parts.count < maxParts {
      let next = number.path(number.value + parts.count + 1)
      guard let nextSize = Input.size(of: next), nextSize <= size else { break }
      parts.append(next)
      if nextSize < size { break }
    }
    return parts
  }

  /// A path that ends with a dot and at least three digits.
  private struct PartName {
    private let base: ArraySlice<CChar>
    private let digits: Int
    let value: Int

    init?(_ path: [CChar]) {
      let bytes = path.dropLast().map { UInt8(bitPattern: $0) }
      let number = bytes.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let rest = bytes.dropLast(number.count)
      guard (3...6).contains(number.count), rest.last == UInt8(ascii: "."), rest.count > 1 else { return nil }
      base = path.prefix(rest.count)
      digits = number.count
      value = number.reversed().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    func path(_ number: Int) -> [CChar] {
      let text = String(number)
      let zeros = String(repeating: "0", count: max(0, digits - text.utf8.count))
      return Array(base) + Array((zeros + text).utf8CString)
    }
  }
}
