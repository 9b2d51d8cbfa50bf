import APNsWire
import Analysis
import ArgumentParser
import Basics
import PacketCapture
import StreamInputs

protocol LimitArgument: ExpressibleByArgument {
  init(number: Int)
  /// A count, or bytes or seconds.
  var number: Int { get }
  /// As the options of a report have it.
  var reported: JSONValue { get }
}

extension LimitArgument {
  package var reported: JSONValue { .int(number) }
}

extension Int: LimitArgument {
  package init(number: Int) { self = number }
  package var number: Int { self }
}

/// A time as an argument: RFC 3339, a date (midnight in UTC), or seconds since 1970.
package struct TimeArgument: LimitArgument {
  package var seconds: UInt32
  private var isDate = false

  package init(_ seconds: UInt32) { self.seconds = seconds }
  package init(number: Int) { seconds = UInt32(clamping: number) }
  package var number: Int { Int(seconds) }

  package init?(argument: String) {
    // Four digits are a year that lacks the rest, not a moment of the first hours of 1970. Fractions would be lost.
    guard argument.utf8.count != 4, !argument.contains("."),
      let seconds = UTCTime.parse(argument) ?? UTCTime.parse("\(argument)T00:00:00Z")
    else { return nil }
    self.seconds = seconds
    isDate = UTCTime.parse(argument) == nil
  }

  /// The moment in seconds since 1970: a date begins at midnight on the clock.
  package func seconds(on clock: LocalClock?) -> UInt32 {
    isDate ? clock?.moment(ofLocal: seconds) ?? seconds : seconds
  }

  /// The same for options, with a message that says what a time is.
  @Sendable package static func parsed(_ text: String) throws -> TimeArgument {
    guard let time = TimeArgument(argument: text) else {
      throw ValidationError(
        "times are 2015-01-01T00:00:00Z (in whole seconds), 2015-01-01 (midnight in UTC) or Unix seconds")
    }
    return time
  }

  package var defaultValueDescription: String { UTCTime.text(seconds) }
}

/// A size as an argument: bytes, or with a unit.
package struct SizeArgument: LimitArgument {
  package var bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }
  package init(number: Int) { bytes = number }
  package var number: Int { bytes }

  package init?(argument: String) {
    guard let bytes = ByteSize.parse(argument) else { return nil }
    self.bytes = bytes
  }

  package var defaultValueDescription: String {
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
extension TokenLengths: LimitArgument {
  public init?(argument: String) { self.init(argument) }
  public var defaultValueDescription: String { text }

  package init(number: Int) { self = TokenLengths("\(number)") ?? .standard }

  package var number: Int { longest }
  package var reported: JSONValue { .string(text) }
}

/// The format of the inputs.
package struct FromArgument: ExpressibleByArgument, Equatable {
  /// Nil detects each by its content.
  package var format: InputFormat?

  package static let auto = FromArgument(format: nil)
  package static let names = InputFormat.all.map(\.name).joined(separator: ", ")

  package init(format: InputFormat?) { self.format = format }

  package init?(argument: String) {
    if argument == "auto" { return }
    guard let known = InputFormat.all.first(where: { $0.name == argument }) else { return nil }
    format = known.format
  }

  package var name: String { format?.name ?? "auto" }
  package var defaultValueDescription: String { name }
  package static var allValueStrings: [String] { ["auto"] + InputFormat.all.map(\.name) }
}

enum ProtocolArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, feedback, requests, responses, pushes

  /// Nil detects it by port and content.
  var named: ProtocolChoice.Name? { ProtocolChoice.Name(rawValue: rawValue) }
}

/// A duration as an argument: seconds, or with a unit.
package struct SpanArgument: ExpressibleByArgument {
  package var seconds: UInt32
  /// Whether the argument has a unit, or needs none.
  package private(set) var hasUnit = true

  package init(_ seconds: UInt32) { self.seconds = seconds }

  package init?(argument: String) {
    guard let seconds = TimeSpan.parse(argument) else { return nil }
    self.seconds = seconds
    hasUnit = seconds == 0 || argument.last?.isNumber == false
  }

  package var defaultValueDescription: String { "\(seconds)s" }
}
