import APNsPushes
import Basics

extension ProviderKeys.Key {
  /// `key ABC123DEFG of team DEF123GHIJ: 12 pushes, 3 provider tokens, two of them 41 s apart`.
  package var text: String {
    let interval = shortestInterval.map { ", two of them \(TimeSpan.text(milliseconds: $0 &* 1000)) apart" }
    let names = "key \(id ?? "without a name") of team \(team ?? "without a name")"
    let most = tokens == ProviderKeys.mostTokens ? " or more" : ""
    return
      "\(names): \(Count.of(pushes, "push")), \(tokens)\(most) provider \(tokens == 1 ? "token" : "tokens")"
      + (interval ?? "")
  }
}
