"""Which changes are found by what, and which survivors are faults."""

import unittest
from unittest import mock

import checkers

mutants = checkers.load("mutants")


class MutantsTests(unittest.TestCase):
    def judge(self, number, failing):
        """What finds a change, and the steps that ran."""
        ran = []

        def run(name, *_, **__):
            ran.append(name)
            return failing.get(name), 0

        steps = [mutants.Step("a", 1, {1, 2}), mutants.Step("b", 2, {1}), mutants.Step("c", 3, {1})]
        with mock.patch.object(mutants, "run", run):
            return mutants.judge(number, steps, None), ran

    def test_steps_that_come_to_it_run_until_one_finds_it(self):
        self.assertEqual(self.judge(1, {}), (None, ["a", "b", "c"]))
        self.assertEqual(self.judge(1, {"b": "exit 1", "c": "exit 1"}), (("b", "exit 1"), ["a", "b"]))
        self.assertEqual(self.judge(2, {"b": "exit 1"}), (None, ["a"]))
        self.assertEqual(self.judge(3, {"a": "exit 1"}), (None, []))

    def test_suites_are_those_of_the_sources(self):
        for area in mutants.AREAS:
            self.assertTrue(mutants.sources(area))
            self.assertGreater(len(list(mutants.steps(area))), 2)
        self.assertIn("APNsWireTests.DecoderLawTests", mutants.steps("wire"))

    def test_faults(self):
        found, listed, _ = tried = [
            mutants.mutation.Mutant("a", 1, "x", change, [], number) for number, change in enumerate(("found", "listed", "new"))]
        reasons = {found.key: "no", listed.key: "no", ("a", "gone", "x"): "no"}
        answers = {0: ("a", "exit 1"), 1: None, 2: None}
        self.assertEqual(list(mutants.faults(tried, answers, tried, reasons, True)), [
            "a · found · x: is found now; remove it from survivors.tsv",
            "a · new · x: nothing finds it (line 1)",
            "a · gone · x: is in survivors.tsv, but not in the code",
        ])
        self.assertEqual(list(mutants.faults([listed], answers, tried, reasons, False)), [])
