import WireBytes

// MARK: - Output files

extension Message {
  package static func outputExists(_ path: String) -> Message {
    Message("\(path) exists already: name another file, or give --force to replace it")
  }

  package static func outputIsDirectory(_ path: String) -> Message {
    Message("\(path) is a directory: name a file to write")
  }

  package static func outputIsBrokenLink(_ path: String) -> Message {
    Message("\(path) is a broken symbolic link")
  }

  package static func outputNotCreated(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be created: \(error)")
  }

  package static func outputNotWritten(_ path: String, _ error: String) -> Message {
    Message("\(path) cannot be written: \(error)")
  }
}

// MARK: - Output directories

extension Message {
  package static func directoryNotEmpty(_ path: String) -> Message {
    Message("\(path) is not empty: name another directory, or give --force to add files to it")
  }
}
