import ArgumentParser
import Basics

/// The zone of times that name none, in lines and tables of text: a name of the tz database, or an offset such as `+02:00`.
struct LogZoneArgument: ExpressibleByArgument {
  let name: String

  static var help: ArgumentHelp {
    .init("Zone of times in text without one: Europe/Berlin, +02:00.", valueName: "ZONE")
  }

  init?(argument: String) { name = argument }

  /// Nil if there is no such zone.
  var clock: LogZone? {
    guard let zone = Zone.named(name) else { return nil }
    return { @Sendable local in zone.firstMoment(ofLocal: local)...zone.moment(ofLocal: local) }
  }

  func check() throws {
    if clock == nil {
      throw ValidationError(.noSuchZone(name, like: LocalClock.namesLike(name), option: "--log-zone"))
    }
  }
}
