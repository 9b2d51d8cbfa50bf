"""Dead citations are found where they are planted, and no other."""

import json
from pathlib import Path

from conftest import load

citations = load("check-citations")
# Files, their lines, and the dead citations in them by line.
PLANTED = json.loads(Path(__file__).with_name("citations.json").read_text())


def test_planted_citations(tmp_path):
    for name, lines, _ in PLANTED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = sorted((str(file), number, cited) for file, number, cited, _ in citations.check(tmp_path))
    assert found == sorted((name, *dead) for name, _, found in PLANTED for dead in found)
