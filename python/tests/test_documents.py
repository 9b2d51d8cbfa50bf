"""The examples of the package and of the documents, as users run them."""

import doctest
import importlib
import pkgutil
import re

import pytest
from conftest import ROOT

import apnsift

PAGES = ["python/README.md", "docs/how-to/pandas-polars-duckdb.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(apnsift.__path__) if module.name != "spark"])
def test_examples_of_docstrings(name):
    found = doctest.testmod(importlib.import_module(f"apnsift.{name}"))
    assert found.failed == 0


def test_examples_of_the_package():
    found = doctest.testmod(apnsift)
    assert found.failed == 0 and found.attempted > 1


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_documents(page):
    """The blocks of a page are one program. A line that ends in `# VALUE` is an expression of that value."""
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    names = {}
    for block in blocks:
        run(block, names)


def run(block, names):
    rest = []
    for line in block.splitlines():
        expression, mark, value = line.partition("  # = ")
        if mark:
            exec("\n".join(rest), names)
            rest = []
            assert repr(eval(expression, names)) == value, line
        else:
            rest.append(line)
    exec("\n".join(rest), names)
