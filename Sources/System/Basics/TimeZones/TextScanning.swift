extension Substring.UTF8View {
  /// Consumes `mark` if it is next.
  package mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard first == UInt8(ascii: mark) else { return false }
    self = dropFirst()
    return true
  }

  /// Consumes a number of exactly `digits` digits.
  package mutating func takeNumber(digits: Int) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit = first, (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int(digit - 0x30)
      self = dropFirst()
    }
    return number
  }
}
