"""Cases that `apnsift-lab generate --case` writes are what `apnsift verify` reads, and hold the command to the truth."""

import os
import subprocess

import pytest
from conftest import run

# Kind: options, and the inputs that are written.
KINDS = {
    "dump": ("", {"input.bin"}), "pair": ("", {"input.bin", "input.bin.responses"}), "gateway": ("--ip 6", {"input.pcap"}),
    "capture": ("--loss 20 --midstream --connections 3 --container pcapng --compression gzip", {"input.pcapng.gz"}),
    "pushes": ("", {"input.pcap"}), "push-log": ("--log-format csv", {"input.csv"}),
}  # fmt: skip


def generate(*arguments):
    return subprocess.run([os.environ["APNSIFT_LAB"], "generate", "--seed", "7", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_generated_case(kind, tmp_path):
    options, inputs = KINDS[kind]
    (tmp_path / "cases").mkdir()
    done = generate("--kind", kind, "--tuples", "60", *options.split(), "--case", "cases/one")
    assert done.returncode == 0 and done.stderr.endswith(": cases/one\n")
    assert {path.name for path in (tmp_path / "cases/one").iterdir()} == {"case.yml", "expected.ndjson", *inputs}
    assert "cases" not in (tmp_path / "cases/one/case.yml").read_text()
    assert b"1 as expected, 0 different, 0 broken" in run("verify", "cases", check=True).stderr
    expected = tmp_path / "cases/one/expected.ndjson"
    lines = expected.read_text().splitlines(keepends=True)
    expected.write_text("".join(lines[:1] + lines[2:]))
    assert b"1 different" in run("verify", "cases").stderr


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["--kind", "dump", "--cut-tail", "--case", "one"], "--case excludes"),
        (["--kind", "pushes", "--loss", "5", "--case", "one"], "--case excludes"),
        (["--kind", "dump", "--case", "one", "-o", "x"], "give one of them"),
        (["--kind", "dump"], "give one of them"),
        (["--kind", "dump", "--case", "samples"], "samples is not empty"),
    ],
)  # fmt: skip
def test_what_is_no_case(arguments, text, tmp_path):
    done = generate(*arguments)
    assert done.returncode and text in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"samples"}
