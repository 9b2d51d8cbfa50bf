"""Gives the tests the scripts, most of which have no extension that Python would import."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True


def load(name):
    """The module of scripts/NAME."""
    loader = SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    # Dataclasses look for the module in sys.modules.
    module = sys.modules[loader.name] = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
