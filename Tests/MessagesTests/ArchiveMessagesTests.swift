import Messages
import Testing

@Test("Messages about archives and disk images", arguments: Golden.archives)
func archiveMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let archives = [
    Golden(
      .noLibarchive,
      "is an archive, and libarchive, which reads it, is missing: install libarchive, or extract the files"),
    Golden(
      .archiveTooDeep(limit: 4),
      "is an archive within 4 others, which is not read: extract it, or use --max-depth"),
    Golden(.tooManyMembers(limit: 9), "has more than 9 files: the others are not read; use --max-members"),
    Golden(
      .archiveTooLarge(limit: 2048), "unpacks to more than 2.0 KiB: the rest is not read; use --max-content"),
    Golden(
      .archiveIsEncrypted("7z"), "the 7z archive is encrypted: extract its files with the password"),
    Golden(
      .archiveUnreadable("zip", reason: "why"),
      "the zip archive cannot be read (why): look for another copy"),
    Golden(
      .archiveDamaged("tar", reason: "why"),
      "the tar archive is damaged (why): the files before that are used; look for another copy"),
    Golden(
      .tarWithoutEnd,
      "the tar archive ends without its end mark: files may be missing; look for another copy"),
    Golden(
      .memberDamaged("zip", reason: "why"),
      "is damaged in the zip archive (why): the content before that is used; look for another copy"),
    Golden(.memberIsEncrypted, "is encrypted in the archive: extract it with its password"),
    Golden(.memberIsNoFile, "a link or device in an archive"),
    Golden(.noInputInArchive, "no input in this archive"),
    Golden(
      .noSuchMember("a.zip!b"), "has no file of the name a.zip!b: inspect the archive to see the names"),
    Golden(
      .noLibewf,
      "is an E01 image, and libewf, which reads it, is missing: install libewf, or convert it with ewfexport"),
    Golden(
      .imageUnreadable("why"),
      "the E01 image cannot be read (why): look for another copy, and for all its segment files"),
    Golden(
      .imageRangeDamaged(bytes: 32768),
      "32768 bytes of the image are damaged or in a missing segment file; read as zeros"),
    Golden(.moreImageDamage(2), "2 more ranges of the image are damaged; read as zeros"),
    Golden(
      .firstSegmentMissing(2),
      "is segment 2 of an E01 image, whose first segment file is missing: find it"),
    Golden(
      .partMissing("d.002", "why"),
      "the image's part d.002 cannot be opened (why): the parts before it are used"),
    Golden(
      .xzNeedsMemory(limit: 128 << 20),
      "it needs more than 128 MiB of memory; decompress it first: xz -dc FILE | apnsift inspect -"),
  ]
}
