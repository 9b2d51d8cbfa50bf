import Basics
import CLibFuzzer

/// `fuzz TARGET [OPTIONS OF LIBFUZZER] [CORPUS…]`.
@_cdecl("fuzz_main")
public func main(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  let name = count > 1 ? arguments[1].map { String(cString: $0) } : nil
  guard let target = Target.all.first(where: { $0.name == name }) else {
    let names = Target.all.map(\.name).joined(separator: " ")
    say("usage: fuzz TARGET [OPTIONS OF LIBFUZZER] [CORPUS…]\nwith one of the targets \(names)")
    return 64
  }
  current = target
  // libFuzzer gets the name of the program instead of the target's.
  arguments[1] = arguments[0]
  var (rest, options): (CInt, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) = (
    count - 1, arguments + 1
  )
  return LLVMFuzzerRunDriver(&rest, &options) { bytes, count in
    current?.run(Sample(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }
}

/// Set once, before the first run.
nonisolated(unsafe) private var current: Target?
