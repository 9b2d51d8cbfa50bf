import ArgumentParser
import Basics
import CommandOptions

/// Local times next to those in UTC.
struct LocalTimeOptions: ParsableArguments {
  @Option(help: .init("Also show times of this zone, such as Europe/Berlin.", valueName: "ZONE"))
  var timeZone: String?

  var clock: LocalClock? { timeZone.flatMap { LocalClock($0) } }

  mutating func validate() throws {
    if let timeZone, clock == nil {
      throw ValidationError(.noSuchZone(timeZone, like: LocalClock.namesLike(timeZone)))
    }
  }
}
