import ArgumentParser
import Basics
import StreamInputs

/// The zone of times that name none, in lines and tables of text: a name of the tz database, or an offset such as `+02:00`.
package struct LogZoneArgument: ExpressibleByArgument {
  package let name: String

  static var help: ArgumentHelp {
    .init("Zone of times in text without one: Europe/Berlin, +02:00.", valueName: "ZONE")
  }

  package init?(argument: String) { name = argument }

  /// Nil if there is no such zone.
  package var clock: LogZone? {
    if let offset { return { @Sendable local in local - offset } }
    guard let zone = Zone.named(name) else { return nil }
    return { @Sendable local in zone.moment(ofLocal: local) }
  }

  /// Seconds east of UTC; nil for names.
  private var offset: Int64? {
    var text = name[...].utf8
    let isWest = text.first == 0x2d
    guard text.take("+") || text.take("-"), let hours = text.takeNumber(digits: 2), hours < 24 else {
      return nil
    }
    _ = text.take(":")
    guard let minutes = text.isEmpty ? 0 : text.takeNumber(digits: 2), minutes < 60, text.isEmpty else {
      return nil
    }
    return Int64((isWest ? -60 : 60) * (60 * hours + minutes))
  }

  func check() throws {
    if clock == nil {
      throw ValidationError(.noSuchZone(name, like: LocalClock.namesLike(name), option: "--log-zone"))
    }
  }
}
