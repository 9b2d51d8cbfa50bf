"""Gives the tests the scripts, most of which have no extension that Python would import."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True


def load(name):
    """The module of scripts/NAME."""
    module_name = name.replace("-", "_")
    loader = SourceFileLoader(module_name, str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(module_name, loader))
    sys.modules[module_name] = module  # dataclasses look for it there
    loader.exec_module(module)
    return module
