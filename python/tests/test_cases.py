"""Cases that `apnsift-lab generate --case` writes are what `apnsift verify` reads, and hold the command to the truth."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import TABLES, run

KINDS = TABLES["generated cases"]  # kind: options, and the inputs that are written


def generate(*arguments):
    return subprocess.run([os.environ["APNSIFT_LAB"], "generate", "--seed", "7", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_generated_case(kind):
    options, inputs = KINDS[kind]
    case = Path("cases/one")
    case.parent.mkdir()
    done = generate("--kind", kind, "--tuples", "60", *options.split(), "--case", case)
    assert done.returncode == 0 and done.stderr.endswith(": cases/one\n")
    assert {path.name for path in case.iterdir()} == {"case.yml", "expected.ndjson", *inputs}
    assert "cases" not in (case / "case.yml").read_text()
    assert b"1 as expected, 0 different, 0 broken" in run("verify", "cases", check=True).stderr
    lines = (case / "expected.ndjson").read_text().splitlines(keepends=True)
    (case / "expected.ndjson").write_text("".join(lines[:1] + lines[2:]))
    assert b"1 different" in run("verify", "cases").stderr


@pytest.mark.parametrize("arguments, text", TABLES["no cases"])
def test_what_is_no_case(arguments, text):
    done = generate(*arguments.split())
    assert done.returncode and text in done.stderr
    assert os.listdir() == ["samples"]
