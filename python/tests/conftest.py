"""The command under test is APNSIFT, and APNSIFT_LAB makes its inputs; scripts/check-python sets both."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import apnsift

ROOT = Path(__file__).resolve().parents[2]
KINDS = "feedback requests responses resend pushes resend-pushes broadcasts channels streams findings tokens inputs".split()
TABLES = json.loads((ROOT / "python/tests/tables.json").read_text())


@pytest.fixture(autouse=True)
def in_own_directory(tmp_path, monkeypatch):
    """Each test is in a directory of its own, with the samples at hand, as the examples of the documents expect."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")


def run(*arguments, **options):
    """The command itself, without the package."""
    return subprocess.run([apnsift.command(), *map(os.fspath, arguments)], capture_output=True, **options)


def generate(path, kind, seed, **options):
    """An input of known contents."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    lab = os.environ["APNSIFT_LAB"]
    subprocess.run([lab, "generate", "--kind", kind, "--seed", str(seed), "-o", path, *flags], capture_output=True, check=True)
    path.with_name(path.name + ".truth.ndjson").unlink()
    return path
