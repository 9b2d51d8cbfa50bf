"""From the parameters of Python to the arguments of the command."""

from __future__ import annotations

import datetime
import glob
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from apnsift._command import command, repeatable
from apnsift._errors import InputError, UsageError

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Paths = Union[Path, Iterable[Path]]

# Those that the functions set themselves, or that write no records.
_RESERVED = {
    "to", "output", "force", "records", "columns", "batch-rows", "jobs", "files-from", "help", "help-hidden", "version",
    "experimental-dump-help", "generate-completion-script",
}  # fmt: skip

_TIMES = {"earliest", "latest"}


def inputs(paths: Paths) -> list[str]:
    """The paths, each pattern replaced by the files that match it, sorted.

    A string is a pattern if it has one of *, ? and [, and no file has that name; bytes and a PathLike never are.
    """
    _check_no_file("paths", paths)
    found: list[str] = []
    several = [paths] if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable) else paths
    for path in several:
        _check_no_file("paths", path)
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"paths: expected a path, or several, found {path!r}")
        name = os.fsdecode(path)
        if not name or "\0" in name:
            raise UsageError([f"paths: expected the path of a file or directory, found {path!r}"], 64)
        if isinstance(path, str) and glob.has_magic(name) and not os.path.lexists(name):
            if not (matches := sorted(glob.glob(name, recursive=True))):
                raise InputError([f"{name}: no file matches this pattern"])
            found += matches
        else:
            found.append("./-" if name == "-" and not isinstance(path, str) else name)
    return found


def _check_no_file(key: str, value: object) -> None:
    if hasattr(value, "read"):
        raise TypeError(f"{key}: expected a path, found {value!r}; give the name of the file, or \"-\" for standard input")


def listed(columns: Sequence[str] | str | None) -> str | None:
    """Names as the command takes them; those in a string may have spaces after the commas."""
    if columns is None:
        return None
    return ",".join(name.strip() for name in (columns.split(",") if isinstance(columns, str) else columns))


def options(values: Mapping[str, Any], **own: Any) -> list[str]:
    """The arguments of options, named with underscores; `own` are of the function itself, and no caller may give them.

    True is a flag, None and False are left out. A list repeats an option that the command takes several times, and is one
    value with commas for any other. A name that Python reserves may end in _.
    """
    for key in values:
        if _name(key) in _RESERVED:
            raise UsageError([f"the option --{_name(key)} cannot be given here"], 64)
    return [argument for key, value in [*values.items(), *own.items()] for argument in _option(key, value)]


def _name(key: str) -> str:
    name = key.rstrip("_").replace("_", "-")
    if not re.fullmatch(r"[a-z][a-z0-9-]+", name):
        raise UsageError([f"unknown option {key!r}: options are those of the command, with underscores"], 64)
    return name


def _option(key: str, value: Any) -> list[str]:
    name = _name(key)
    if value is True:
        return [f"--{name}"]
    if value is None or value is False:
        return []
    if not isinstance(value, (list, tuple, range, set, frozenset)):
        return [f"--{name}={_text(key, value)}"]
    texts = [_text(key, one) for one in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    if texts and name not in repeatable(command()):
        texts = [",".join(texts)]
    return [f"--{name}={text}" for text in texts]


def _text(key: str, value: Any) -> str:
    _check_no_file(key, value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise UsageError([f"{key}: expected a time with a time zone, found {value}"], 64)
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, (bytes, bytearray)):
        return value.hex() if key == "token" else os.fsdecode(bytes(value))
    if isinstance(value, float) and key in _TIMES:
        if not math.isfinite(value):
            raise UsageError([f"{key}: expected a time, found {value}"], 64)
        return str(math.ceil(value) if key == "earliest" else math.floor(value))  # times of records are whole seconds
    return os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)
