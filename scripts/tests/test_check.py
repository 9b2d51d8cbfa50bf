"""scripts/check fails where a part fails, and runs the parts after it."""

import re

import pytest
from conftest import load

check = load("check")
AREAS = {"area": ("", [("bad", "sh -c 'echo bad; exit 3'", ""), ("good", "echo good", "")])}
TOOK = r"\d+ s, \d+ of processors"


@pytest.fixture
def run_check(monkeypatch, capsys, tmp_path):
    """Runs areas; what is printed, and the exit code."""
    def run(*words, areas=AREAS):
        for name, value in {"AREAS": areas, "LAST": tmp_path, "FIRST": [["area bad", "area good"]]}.items():
            monkeypatch.setattr(check, name, value)
        monkeypatch.setattr("sys.argv", ["check", *words])
        with pytest.raises(SystemExit) as ended:
            check.main()
        return capsys.readouterr().out, ended.value.code

    return run


def test_a_part_that_fails(run_check):
    output, code = run_check("area")
    assert re.search(rf"^bad\narea bad: {TOOK}, failed: sh .*\narea good: {TOOK}\n$", output) and code is True


def test_a_part_that_passes(run_check):
    output, code = run_check("area", "good")
    assert re.search(rf"^area good: {TOOK}\n$", output) and code is False


def test_all_areas(run_check):
    output, code = run_check("all", areas=AREAS | {"second": ("", [("also bad", "false", "")])})
    for line in ("bad\narea bad: .* failed", "area good: ", "second also bad: .* failed: false"):
        assert re.search(line, output)
    assert code is True


def test_all_areas_but_soak_have_each_part_once():
    listed = [part for parts in check.lists() for part in parts]
    assert sorted(listed) == sorted(part for area in check.AREAS if area != "soak" for part in check.parts_of(area, []))


def test_what_is_not_there(run_check):
    for words in (["other"], ["area", "good", "other"]):
        assert "there is no other" in run_check(*words)[1]
