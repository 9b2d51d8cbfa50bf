"""Which changes are found by what, and which survivors are faults."""

import pytest
from conftest import load

mutants = load("mutants")
STEPS = [mutants.Step("a", 1, {1, 2}), mutants.Step("b", 2, {1}), mutants.Step("c", 3, {1})]


@pytest.mark.parametrize("number, failing, found, ran", [
    (1, [], None, "abc"), (1, ["b", "c"], ("b", "exit 1"), "ab"), (2, ["b"], None, "a"), (3, ["a"], None, ""),
])
def test_steps_that_come_to_it_run_until_one_finds_it(number, failing, found, ran, monkeypatch):
    names = []

    def run(name, *_, **__):
        names.append(name)
        return "exit 1" if name in failing else None, 0

    monkeypatch.setattr(mutants, "run", run)
    assert (mutants.judge(number, STEPS, None), "".join(names)) == (found, ran)


def test_suites_are_those_of_the_sources():
    for area in mutants.AREAS:
        assert mutants.sources(area) and len(list(mutants.steps(area))) > 2
    assert "APNsWireTests.DecoderLawTests" in mutants.steps("wire")


def test_faults():
    found, listed, _ = tried = [
        mutants.mutation.Mutant("a", 1, "x", change, [], number) for number, change in enumerate(("found", "listed", "new"))]
    reasons = {found.key: "no", listed.key: "no", ("a", "gone", "x"): "no"}
    answers = {0: ("a", "exit 1"), 1: None, 2: None}
    assert list(mutants.faults(tried, answers, tried, reasons, True)) == [
        "a · found · x: is found now; remove it from survivors.tsv",
        "a · new · x: nothing finds it (line 1)",
        "a · gone · x: is in survivors.tsv, but not in the code",
    ]
    assert list(mutants.faults([listed], answers, tried, reasons, False)) == []
