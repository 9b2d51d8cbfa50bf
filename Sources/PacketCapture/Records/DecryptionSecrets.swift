/// Where a pcapng file keeps the keys of encrypted streams (Decryption Secrets Block).
package struct DecryptionSecrets: Equatable, Sendable {
  /// What the keys are: 0x544c534b, `TLSK`, is a TLS key log.
  package var type: UInt32
  /// Offset in the file (from 0, after decompression) of their first byte, and how many bytes they are.
  package var fileOffset: Int
  package var length: Int
  /// How many packets stand before them.
  package var packetsBefore: Int
}
