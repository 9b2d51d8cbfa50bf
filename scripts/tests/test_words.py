"""Each retired word is found where it is planted, with what to write instead."""

import unittest

from checkers import load

words = load("check-words")


class WordTests(unittest.TestCase):
    def test_planted_words(self):
        for word, _, instead in words.RETIRED:
            self.assertEqual(list(words.found(f"a line\n{word}.")), [(2, word, instead)])

    def test_names_with_hyphens_and_allowed_words(self):
        self.assertEqual(list(words.found("left-behind, in place, --places 3")), [])
