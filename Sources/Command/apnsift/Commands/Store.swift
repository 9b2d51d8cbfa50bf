import ArgumentParser

struct Store: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Manage the tokens of a store, and list or undo its replays.",
    discussion: """
      EXAMPLES
        apnsift store list --dead --store sqlite:tokens.sqlite
        apnsift store register --csv devices.csv --app com.example.mail
        apnsift store import devices.csv --app com.example.mail
        apnsift store export --live -o live.csv
        apnsift store history
        apnsift store undo 3
      """,
    subcommands: [
      StoreShow.self, StoreList.self, StoreRegister.self, StoreImport.self, StoreExport.self,
      StoreHistory.self,
      StoreUndo.self,
    ])
}
