import Basics
import CLibpcre2

/// PCRE2, loaded for the first pattern.
private let libpcre2 = SharedLibrary(
  Libpcre2(), libpcre2_find, linux: ["libpcre2-8.so.0"], macOS: ["lib/libpcre2-8.0.dylib"])

/// A mistake in a regular expression, or the lack of PCRE2.
package struct PatternError: Error, Equatable {
  package var message: Message
  /// Offset in the pattern, in bytes.
  package var offset: Int
}

/// A compiled regular expression of PCRE2, whose named groups are fields. It matches bytes, and is used by one thread.
final class LinePattern {
  /// The default maximum of steps for one line; a pattern may need a number of them that is exponential in its length.
  package static let defaultSteps = 100_000

  enum Match {
    case found, none
    /// The limit of steps was reached before a match was found.
    case exhausted
  }

  /// The groups with names, in the order of their numbers.
  let groups: [(name: String, number: Int)]
  private let library: Libpcre2
  private let code: OpaquePointer
  private let match: OpaquePointer
  private let limits: OpaquePointer

  init(_ text: String, steps: Int = defaultSteps) throws(PatternError) {
    guard let library = libpcre2.functions else {
      throw PatternError(
        message: "\(libpcre2.file) cannot be loaded; install libpcre2-8-0 (elsewhere: pcre2)", offset: 0)
    }
    var (number, offset) = (Int32(0), 0)
    let options = PCRE2_DUPNAMES | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C
    let code = Array(text.utf8).withUnsafeBufferPointer {
      library.pcre2_compile_8($0.baseAddress, $0.count, options, &number, &offset, nil)
    }
    guard let code else { throw PatternError(message: Self.text(of: number, library), offset: offset) }
    guard let match = library.pcre2_match_data_create_from_pattern_8(code, nil),
      let limits = library.pcre2_match_context_create_8(nil)
    else {
      library.pcre2_code_free_8(code)
      throw PatternError(message: "out of memory", offset: 0)
    }
    // Where there is no compiler to machine code, the pattern is interpreted.
    _ = library.pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
    _ = library.pcre2_set_match_limit_8(limits, UInt32(clamping: steps))
    (self.library, self.code, self.match, self.limits) = (library, code, match, limits)
    groups = Self.groups(of: code, library)
  }

  deinit {
    library.pcre2_match_data_free_8(match)
    library.pcre2_match_context_free_8(limits)
    library.pcre2_code_free_8(code)
  }

  /// - Parameter start: offset in the line, in bytes.
  func search(_ line: UnsafeRawBufferPointer, from start: Int = 0) -> Match {
    let result = library.pcre2_match_8(
      code, line.baseAddress?.assumingMemoryBound(to: UInt8.self), line.count, start, 0, match, limits)
    return result > 0 ? .found : result == PCRE2_ERROR_NOMATCH ? .none : .exhausted
  }

  /// The text of a group in the last match, as offsets in its line; nil if the group is not part of it.
  func range(of group: Int) -> Range<Int>? {
    guard let offsets = library.pcre2_get_ovector_pointer_8(match) else { return nil }
    let (start, end) = (offsets[2 &* group], offsets[2 &* group &+ 1])
    // PCRE2_UNSET is the greatest number.
    return start >= 0 && start <= end ? start..<end : nil
  }

  /// Reads the table of names: a number of 16 bits in big-endian order, and a C string, in entries of one size.
  private static func groups(of code: OpaquePointer, _ library: Libpcre2) -> [(name: String, number: Int)] {
    var (count, size) = (UInt32(0), UInt32(0))
    var table: UnsafePointer<UInt8>?
    _ = library.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMECOUNT), &count)
    _ = library.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &size)
    _ = library.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMETABLE), &table)
    guard let table else { return [] }
    return (0..<Int(count)).map { index in
      let entry = table + index * Int(size)
      return (String(cString: entry + 2), Int(entry[0]) << 8 | Int(entry[1]))
    }.sorted { $0.number < $1.number }
  }

  private static func text(of error: Int32, _ library: Libpcre2) -> Message {
    var text = [UInt8](repeating: 0, count: 256)
    _ = library.pcre2_get_error_message_8(error, &text, text.count)
    return .verbatim(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
  }
}
