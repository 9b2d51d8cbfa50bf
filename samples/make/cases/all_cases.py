"""All cases, in the order of their names."""

import importlib
import pkgutil
from pathlib import Path


def collect():
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    modules = [importlib.import_module(f"cases.{name}") for name in names]
    found = sorted((case for module in modules if hasattr(module, "cases") for case in module.cases()), key=lambda case: case.name)
    names = [case.name for case in found]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"cases with the same name: {twice}"
    return found
