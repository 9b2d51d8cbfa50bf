/// The two APNs services; a device has a different token in each (docs/spec/protocol.md#services).
package enum Environment: String, CaseIterable, Sendable { case production, sandbox }

/// The owner of a token: one app in one environment. With the token itself it is a store's primary key
/// (docs/spec/interface.md#replay-rule).
package struct AppEnvironment: Hashable, Comparable, Sendable {
  /// The app's name as the user gave it with `--app`; empty unless given.
  package var app: String
  package var environment: Environment

  package init(app: String = "", environment: Environment = .production) {
    (self.app, self.environment) = (app, environment)
  }

  package static func < (left: AppEnvironment, right: AppEnvironment) -> Bool {
    (left.app, left.environment.rawValue) < (right.app, right.environment.rawValue)
  }

  /// For messages: `com.example.mail, production`, or the environment alone without an app.
  package var text: String { app.isEmpty ? environment.rawValue : "\(app), \(environment.rawValue)" }
}

/// Selects apps and environments; nil does not restrict.
package struct AppEnvironmentFilter: Equatable, Sendable {
  package var app: String?
  package var environment: Environment?

  package init(app: String? = nil, environment: Environment? = nil) {
    (self.app, self.environment) = (app, environment)
  }

  package static let any = AppEnvironmentFilter()

  package func matches(_ owner: AppEnvironment) -> Bool {
    (app ?? owner.app) == owner.app && (environment ?? owner.environment) == owner.environment
  }
}
