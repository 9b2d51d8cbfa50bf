/// The two APNs services; a device has a different token in each (docs/spec/protocol.md#services).
package enum Environment: String, CaseIterable, Sendable {
  case production
  case sandbox
}

/// What a token belongs to: one app in one environment. With the token itself it is a store's primary key
/// (docs/spec/interface.md#replay-rule).
package struct AppEnvironment: Hashable, Sendable {
  /// The app's name as the user gave it with `--app`; empty unless given.
  package var app: String
  package var environment: Environment

  package init(app: String = "", environment: Environment = .production) {
    self.app = app
    self.environment = environment
  }

  /// As messages say it: `com.example.mail, production`, or the environment alone where no app is named.
  package var text: String { app.isEmpty ? environment.rawValue : "\(app), \(environment.rawValue)" }
}

/// Which apps and environments a question is about; what is nil is not restricted.
package struct AppEnvironmentFilter: Equatable, Sendable {
  package var app: String?
  package var environment: Environment?

  package init(app: String? = nil, environment: Environment? = nil) {
    self.app = app
    self.environment = environment
  }

  /// Every app in both environments.
  package static let any = AppEnvironmentFilter()

  package func matches(_ owner: AppEnvironment) -> Bool {
    (app ?? owner.app) == owner.app && (environment ?? owner.environment) == owner.environment
  }
}
