"""Changes of Swift code: where they are made, and that one at a time is on."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import checkers  # noqa: F401  (finds mutation)
import mutation

PROGRAM = """func middle(_ a: Int, _ b: Int, of list: [Int]) -> Int {
  var sum = 0
  for number in list where number >= min(a, b) && number < max(a, b) {
    sum += number + 1
  }
  guard sum > 4 || a != b, true else { return 7 }  // a < b
  return sum
}
print(middle(2, 6, of: [1, 2, 5, 6]), "a < b \\(1 + 1)")
"""


class MutationTests(unittest.TestCase):
    def changes(self, source):
        """The changes of a source, in its order."""
        return [mutant.change for mutant in mutation.mutants("a.swift", source)]

    def test_operators(self):
        self.assertEqual(self.changes("a < b && c &- d != e &+= f"),
                         ["< → <=", "&& → ||", "&- → &+", "!= → ==", "&+= → &-="])
        for line in ("func < (a: A, b: A)", "let a: Array<B>", "x(-1.5, a...b, a..<b, a.0)", "@a(b < c)", "#if a && b", "// a < b",
                     "assert(a < (b + c((d))), e)", "a.reserveCapacity(b + 1)", "a.removeAll(keepingCapacity: true)", '"a < b \\(c(d))"'):
            self.assertEqual(self.changes(line), [], line)

    def test_literals(self):
        self.assertEqual(self.changes("f(0x1f, 0..<10, [8 of UInt8](), x.1, a1, .true, true, min(a, b), a.min(b))"),
                         ["0x1f → +1", "0 → +1", "10 → +1", "true → !", "min ↔ max"])

    def test_conditions(self):
        self.assertEqual(self.changes("guard a, let b, c(d, e), f == g else {"), ["negated", "negated #2", "== → !="])
        self.assertEqual(self.changes("if a == b || c {"), ["negated", "== → !=", "|| → &&"])
        self.assertEqual(self.changes("while true {"), [])

    def test_statements(self):
        source = "{\n  a.b = c\n  let d = e\n  f.append(g)\n  return h(i)\n  x(\n    y)\n  p = q\n    .r()\n}"
        self.assertEqual([(mutant.line, mutant.change) for mutant in mutation.mutants("a.swift", source)],
                         [(2, "dropped"), (4, "dropped")])
        source = "{\n  a.b = c  // d\n}"
        self.assertEqual(mutation.mutated(source, mutation.mutants("a.swift", source)), "{\n  if !__on(0) { a.b = c }  // d\n}")

    def test_lines_and_names_stay(self):
        found = mutation.mutants("a.swift", PROGRAM)
        self.assertEqual(mutation.mutated(PROGRAM, []), PROGRAM)
        self.assertEqual(mutation.mutated(PROGRAM, found).count("\n"), PROGRAM.count("\n"))
        moved = mutation.mutants("a.swift", "\n\n" + PROGRAM)
        self.assertEqual([mutant.key for mutant in found], [mutant.key for mutant in moved])
        self.assertEqual(len({mutant.key for mutant in found}), len(found))

    def test_what_the_compiler_refuses(self):
        source = "func a() {\n  b = 1\n  c = d + 2\n}\n"
        found = mutation.mutants("a.swift", source)

        def refused(line, message):
            return [mutant.change for mutant in mutation.refused([(line, message)], source, found)]

        self.assertEqual(refused(3, "operator function '%+' requires"), ["+ → -"])
        self.assertEqual(refused(2, "cannot convert"), ["dropped", "1 → +1"])
        self.assertEqual(refused(4, "missing return"), ["dropped", "dropped"])

    def test_one_at_a_time_is_on(self):
        found = mutation.mutants("main.swift", PROGRAM)
        for number, mutant in enumerate(found, 1):
            mutant.number = number
        with tempfile.TemporaryDirectory() as directory:
            for name, text in ("main.swift", mutation.mutated(PROGRAM, found)), ("Mutants.swift", mutation.helpers()):
                (Path(directory) / name).write_text(text)
            subprocess.run(["swiftc", "main.swift", "Mutants.swift", "-o", "program"], cwd=directory, check=True)

            def printed(**environment):
                return subprocess.run(["./program"], cwd=directory, env={**os.environ, **environment}, check=True,
                                      capture_output=True, text=True).stdout

            # Sums of a number and one: of 2 and 5.
            self.assertEqual(printed(), "9 a < b 2\n")
            self.assertEqual(printed(APNSIFT_MUTANTS_REACHED="reached"), "9 a < b 2\n")
            reached = (Path(directory) / "reached").read_bytes()
            answers = {mutant.change: printed(APNSIFT_MUTANT=str(mutant.number)).split()[0] for mutant in found
                       if not mutant.text.startswith("print")}
        self.assertEqual([mutant.change for mutant in found if not reached[mutant.number]], ["!= → ==", "7 → +1"])
        self.assertEqual(answers, {
            "0 → +1": "10", ">= → >": "6", "min ↔ max": "0", "min ↔ max #2": "0", "&& → ||": "18", "< → <=": "16", "+= → -=": "-9",
            "+ → -": "5", "1 → +1": "11", "dropped": "0", "negated": "7", "> → >=": "9", "4 → +1": "9", "|| → &&": "9",
            "!= → ==": "9", "true → !": "7", "7 → +1": "9",
        })
