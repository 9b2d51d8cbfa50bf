import WireBytes

// MARK: - Archives

extension Message {
  package static let noLibarchive = Message(
    "is an archive, and libarchive, which reads it, is missing: install libarchive, or extract the files")

  package static func archiveTooDeep(limit: Int) -> Message {
    Message("is an archive within \(limit) others, which is not read: extract it, or use --max-depth")
  }

  package static func tooManyMembers(limit: Int) -> Message {
    Message("has more than \(limit) files: the others are not read; use --max-members")
  }

  package static func archiveTooLarge(limit: Int) -> Message {
    Message("unpacks to more than \(ByteSize.text(limit)): the rest is not read; use --max-content")
  }

  package static func archiveIsEncrypted(_ format: String) -> Message {
    Message("the \(format) archive is encrypted: extract its files with the password")
  }

  package static func archiveUnreadable(_ format: String, reason: String) -> Message {
    Message("the \(format) archive cannot be read (\(reason)): look for another copy")
  }

  package static func archiveDamaged(_ format: String, reason: String) -> Message {
    Message(
      "the \(format) archive is damaged (\(reason)): the files before that are used; look for another copy")
  }

  package static let tarWithoutEnd = Message(
    "the tar archive ends without its end mark: files may be missing; look for another copy")

  package static func memberDamaged(_ format: String, reason: String) -> Message {
    Message(
      "is damaged in the \(format) archive (\(reason)): the content before that is used; look for another copy"
    )
  }

  package static let memberIsEncrypted = Message(
    "is encrypted in the archive: extract it with its password")
  package static let memberIsNoFile = Message("a link or device in an archive")
  package static let noInputInArchive = Message("no input in this archive")

  package static func noSuchMember(_ name: String) -> Message {
    Message("has no file of the name \(name): inspect the archive to see the names")
  }
}

// MARK: - Disk images

extension Message {
  package static let noLibewf = Message(
    "is an E01 image, and libewf, which reads it, is missing: install libewf, or convert it with ewfexport")

  package static func imageUnreadable(_ reason: String) -> Message {
    Message("the E01 image cannot be read (\(reason)): look for another copy, and for all its segment files")
  }

  package static func imageRangeDamaged(bytes: Int) -> Message {
    Message("\(Count.of(bytes, "byte")) of the image are damaged or in a missing segment file; read as zeros")
  }

  package static func moreImageDamage(_ count: Int) -> Message {
    Message("\(Count.of(count, "more range")) of the image are damaged; read as zeros")
  }

  package static func firstSegmentMissing(_ number: Int) -> Message {
    Message("is segment \(number) of an E01 image, whose first segment file is missing: find it")
  }

  package static func partMissing(_ name: String, _ error: String) -> Message {
    Message("the image's part \(name) cannot be opened (\(error)): the parts before it are used")
  }
}
