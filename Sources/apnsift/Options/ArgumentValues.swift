import APNsWire
import Analysis
import ArgumentParser
import Platform
import StreamInputs
import TokenStores
import WireBytes

/// A time as an argument: RFC 3339, or seconds since 1970.
struct TimeArgument: ExpressibleByArgument {
  var seconds: UInt32

  init(_ seconds: UInt32) { self.seconds = seconds }

  init?(argument: String) {
    guard let seconds = UTCTime.parse(argument) else { return nil }
    self.seconds = seconds
  }

  var defaultValueDescription: String { UTCTime.text(seconds) }
}

/// A size as an argument: bytes, or with a unit.
struct SizeArgument: ExpressibleByArgument {
  var bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    guard let bytes = ByteSize.parse(argument) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20)] where bytes > 0 && bytes % (1 << shift) == 0 {
      return "\(bytes >> shift)\(unit)"
    }
    return "\(bytes)"
  }
}

/// Conditions for a non-zero exit code, such as `unrecognised,warning`.
struct FailOnArgument: ExpressibleByArgument {
  static let unrecognised = "unrecognised"
  /// Always fails; accepted so that a complete list can be given.
  static let unreadable = "unreadable"

  var unrecognised = false
  /// The lowest severity that does; nil for none.
  var severity: Severity?

  init() {}

  init?(argument: String) {
    for word in argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if word == Self.unrecognised {
        unrecognised = true
      } else if let named = Severity(rawValue: word) {
        severity = max(severity ?? named, named)
      } else if word != Self.unreadable {
        return nil
      }
    }
  }

  static var allValueStrings: [String] { [unrecognised, unreadable] + Severity.allCases.map(\.rawValue) }

  var defaultValueDescription: String { Self.unreadable }
}

/// As `32`, `32,54`, `1-100`.
extension TokenLengths: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }

  public var defaultValueDescription: String { text }
}

/// The format of the inputs.
struct FromArgument: ExpressibleByArgument, Equatable {
  /// Nil detects each by its content.
  var format: InputFormat?

  static let auto = FromArgument(format: nil)
  static let names = InputFormat.all.map(\.name).joined(separator: ", ")

  init(format: InputFormat?) { self.format = format }

  init?(argument: String) {
    if argument == "auto" { return }
    guard let known = InputFormat.all.first(where: { $0.name == argument }) else { return nil }
    format = known.format
  }

  var name: String { format?.name ?? "auto" }
  var defaultValueDescription: String { name }
  static var allValueStrings: [String] { ["auto"] + InputFormat.all.map(\.name) }
}

/// The protocol of a stream.
enum ProtocolArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, feedback, requests, responses, pushes

  /// Nil detects it by port and content.
  var named: ProtocolChoice.Name? { ProtocolChoice.Name(rawValue: rawValue) }
}

/// A duration as an argument: seconds, or with a unit.
struct SpanArgument: ExpressibleByArgument {
  var seconds: UInt32

  init(_ seconds: UInt32) { self.seconds = seconds }

  init?(argument: String) {
    guard let seconds = TimeSpan.parse(argument) else { return nil }
    self.seconds = seconds
  }

  var defaultValueDescription: String { "\(seconds)s" }
}

/// As `500`, or `25%` of all live tokens.
extension InvalidationLimit: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }

  package var defaultValueDescription: String { text }
}

/// An offset as an argument: decimal, or hex with 0x.
struct OffsetArgument: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    let isHex = argument.lowercased().hasPrefix("0x")
    let digits = isHex ? argument.dropFirst(2) : argument[...]
    guard digits.first?.isHexDigit == true, let bytes = Int(digits, radix: isHex ? 16 : 10) else {
      return nil
    }
    self.bytes = bytes
  }
}

/// A token as an argument: hex, with or without spaces and <>.
struct TokenArgument: ExpressibleByArgument {
  var bytes: [UInt8]

  init?(argument: String) {
    let digits = argument.filter { !" <>".contains($0) }
    guard !digits.isEmpty, let bytes = Hex.bytes(digits) else { return nil }
    self.bytes = bytes
  }
}
