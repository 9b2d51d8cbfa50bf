import WireBytes

// MARK: - Archives

extension Message {
  package static let noLibarchive = Message(
    "is an archive, and libarchive, which reads it, is missing: install libarchive, or extract the files")

  package static func archiveTooLarge(limit: Int) -> Message {
    Message("unpacks to more than \(ByteSize.text(limit)): the rest is not read; use --max-content")
  }

  package static func archiveUnreadable(_ format: String, reason: String) -> Message {
    Message("the \(format) archive cannot be read (\(reason)): look for another copy")
  }

  package static func archiveDamaged(_ format: String, reason: String) -> Message {
    Message(
      "the \(format) archive is damaged (\(reason)): the files before that are used; look for another copy")
  }

  package static func memberDamaged(_ format: String, reason: String) -> Message {
    Message(
      "is damaged in the \(format) archive (\(reason)): the content before that is used; look for another copy"
    )
  }
}

// MARK: - Disk images

extension Message {
  package static func imageUnreadable(_ reason: String) -> Message {
    Message("the E01 image cannot be read (\(reason)): look for another copy, and for all its segment files")
  }
}
