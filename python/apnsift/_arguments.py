"""From the parameters of Python to the arguments of the command."""

from __future__ import annotations

import datetime
import glob
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Union

from apnsift._errors import InputError, UsageError

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]

# Those that the functions set themselves, or that write no records.
_RESERVED = {"to", "output", "force", "records", "columns", "batch-rows", "jobs", "help", "version"}


def inputs(paths: Paths) -> list[str]:
    """The paths, each pattern replaced by the files that match it, sorted.

    A string is a pattern if it has one of *, ? and [, and no file has that name; a PathLike is never one.
    """
    found: list[str] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        name = os.fspath(path)
        if not isinstance(path, str):
            found.append("./-" if name == "-" else name)
        elif glob.has_magic(name) and not os.path.lexists(name):
            matches = sorted(glob.glob(name, recursive=True))
            if not matches:
                raise InputError([f"{name}: no file matches this pattern"])
            found += matches
        else:
            found.append(name)
    return found


def options(values: Mapping[str, Any]) -> list[str]:
    """The arguments of options, named with underscores.

    True is a flag, None and False are left out, and a list repeats the option. A name that Python reserves may end in _.
    """
    arguments: list[str] = []
    for key, value in values.items():
        name = key.rstrip("_").replace("_", "-")
        if not re.fullmatch(r"[a-z][a-z0-9-]+", name):
            raise UsageError([f"unknown option {key!r}: options are those of the command, with underscores"], 64)
        if name in _RESERVED:
            raise UsageError([f"the option --{name} cannot be given here"], 64)
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                arguments.append(f"--{name}")
            elif one is not None and one is not False:
                arguments.append(f"--{name}={_text(key, one)}")
    return arguments


def _text(key: str, value: Any) -> str:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise UsageError([f"{key}: expected a time with a time zone, found {value}"], 64)
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, (bytes, bytearray)):
        return value.hex()  # a token
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
