"""The examples of the package and of the documents, as users run them."""

import doctest
import importlib
import pkgutil

import pytest
from conftest import ROOT
from documents import BLOCK, run

import apnsift

PAGES = ["README.md", "python/README.md", "docs/how-to/data-tools.md"]


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(apnsift.__path__) if module.name != "spark"])
def test_examples_of_docstrings(name):
    found = doctest.testmod(importlib.import_module(f"apnsift.{name}"))
    assert found.failed == 0


def test_examples_of_the_package():
    found = doctest.testmod(apnsift)
    assert found.failed == 0 and found.attempted > 1


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_documents(page):
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    names = {}
    for block in blocks:
        run(block, names)
