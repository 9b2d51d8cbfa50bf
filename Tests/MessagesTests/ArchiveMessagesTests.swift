import Basics
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
      .archiveTooLarge(limit: 2048), "unpacks to more than 2.0 KiB: the rest is not read; use --max-content"),
    Golden(
      .archiveUnreadable("zip", reason: "why"),
      "the zip archive cannot be read (why): look for another copy"),
    Golden(
      .archiveDamaged("tar", reason: "why"),
      "the tar archive is damaged (why): the files before that are used; look for another copy"),
    Golden(
      .memberDamaged("zip", reason: "why"),
      "is damaged in the zip archive (why): the content before that is used; look for another copy"),
    Golden(
      .imageUnreadable("why"),
      "the E01 image cannot be read (why): look for another copy, and for all its segment files"),
    Golden(
      .xzNeedsMemory(limit: 128 << 20),
      "it needs more than 128 MiB of memory; decompress it first: xz -dc FILE | apnsift inspect -"),
  ]
}
