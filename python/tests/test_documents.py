"""The examples of the package and of the documents, as users run them."""

import doctest
import importlib
import pkgutil

import pytest
from conftest import ROOT
from documents import run_page

import apnsift

MODULES = ["apnsift", *(f"apnsift.{module.name}" for module in pkgutil.iter_modules(apnsift.__path__) if module.name != "spark")]
PAGES = ["README.md", "python/README.md", "docs/how-to/data-tools.md"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0 and (found.attempted > 1 or name != "apnsift")


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_documents(page):
    assert run_page((ROOT / page).read_text())
