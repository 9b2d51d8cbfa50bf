import ArgumentParser

/// `apnsift store`: a store by itself.
struct Store: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Show, list and register the tokens of a store.",
    subcommands: [StoreShow.self, StoreList.self, StoreRegister.self])
}
