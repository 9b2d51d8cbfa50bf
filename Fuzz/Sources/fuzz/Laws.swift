import Basics

/// Ends the process, so that libFuzzer keeps the input.
func fail(_ law: String) -> Never {
  say("law broken: \(law)")
  abort()
}

/// Writes a line to standard error.
func say(_ text: String) {
  var text = text + "\n"
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

func expect(_ isTrue: Bool, _ law: @autoclosure () -> String) {
  if !isTrue { fail(law()) }
}

/// Both must be the same; if not, their first difference is reported.
func expectSame<Value: Equatable>(_ found: [Value], _ expected: [Value], _ law: @autoclosure () -> String) {
  if found == expected { return }
  let index = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
  let start = index ?? min(found.count, expected.count)
  fail(
    "\(law()): at \(start) of \(found.count) and \(expected.count): \(found.dropFirst(start).prefix(2)), not \(expected.dropFirst(start).prefix(2))"
  )
}
