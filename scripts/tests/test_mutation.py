"""Changes of Swift code: where they are made, and that one at a time is on."""

import json
import os
import subprocess
from pathlib import Path

import mutation
import pytest

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
# Code, and its changes in their order.
CHANGES = json.loads(Path(__file__).with_name("changes.json").read_text())


@pytest.mark.parametrize("case", CHANGES, ids=lambda case: case[0])
def test_changes(case):
    source, *changes = case
    assert [mutant.change for mutant in mutation.mutants("a.swift", source)] == changes


def test_statements():
    source = "{\n  a.b = c\n  let d = e\n  f.append(g)\n  return h(i)\n  x(\n    y)\n  p = q\n    .r()\n}"
    found = [(mutant.line, mutant.change) for mutant in mutation.mutants("a.swift", source)]
    assert found == [(2, "dropped"), (4, "dropped")]
    source = "{\n  a.b = c  // d\n}"
    assert mutation.mutated(source, mutation.mutants("a.swift", source)) == "{\n  if !__on(0) { a.b = c }  // d\n}"


def test_lines_and_names_stay():
    found, moved = (mutation.mutants("a.swift", source) for source in (PROGRAM, "\n\n" + PROGRAM))
    assert mutation.mutated(PROGRAM, []) == PROGRAM
    assert mutation.mutated(PROGRAM, found).count("\n") == PROGRAM.count("\n")
    assert [mutant.key for mutant in found] == [mutant.key for mutant in moved]
    assert len({mutant.key for mutant in found}) == len(found)


@pytest.mark.parametrize("line, message, changes", [
    (3, "operator function '%+' requires", ["+ → -"]),
    (2, "cannot convert", ["dropped", "1 → +1"]),
    (4, "missing return", ["dropped", "dropped"]),
])
def test_what_the_compiler_refuses(line, message, changes):
    source = "func a() {\n  b = 1\n  c = d + 2\n}\n"
    refused = mutation.refused([(line, message)], source, mutation.mutants("a.swift", source))
    assert [mutant.change for mutant in refused] == changes


def test_one_at_a_time_is_on(tmp_path):
    found = mutation.mutants("main.swift", PROGRAM)
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    (tmp_path / "main.swift").write_text(mutation.mutated(PROGRAM, found))
    (tmp_path / "Mutants.swift").write_text(mutation.helpers())
    subprocess.run(["swiftc", "main.swift", "Mutants.swift", "-o", "program"], cwd=tmp_path, check=True)

    def printed(**environment):
        return subprocess.check_output(["./program"], cwd=tmp_path, env={**os.environ, **environment}, text=True)

    # Sums of a number and one: of 2 and 5.
    assert printed() == printed(APNSIFT_MUTANTS_REACHED="reached") == "9 a < b 2\n"
    reached = (tmp_path / "reached").read_bytes()
    assert [mutant.change for mutant in found if not reached[mutant.number]] == ["!= → ==", "7 → +1"]
    answers = {mutant.change: printed(APNSIFT_MUTANT=str(mutant.number)).split()[0] for mutant in found
               if not mutant.text.startswith("print")}
    assert answers == {
        "0 → +1": "10", ">= → >": "6", "min ↔ max": "0", "min ↔ max #2": "0", "&& → ||": "18", "< → <=": "16", "+= → -=": "-9",
        "+ → -": "5", "1 → +1": "11", "dropped": "0", "negated": "7", "> → >=": "9", "4 → +1": "9", "|| → &&": "9",
        "!= → ==": "9", "true → !": "7", "7 → +1": "9",
    }
