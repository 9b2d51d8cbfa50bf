"""The options of a data source, read once on the driver."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from apnsift._errors import UsageError

if TYPE_CHECKING:
    from apnsift._reading import Kind

_NUMBERS = {"jobs": 1, "partitionbytes": 128 << 20, "maxfilespertrigger": 1000, "settleseconds": 10.0}  # and their defaults
_OWN = {"path", "paths", "records", "columns", "mode", *_NUMBERS}
# Several inputs that are read as one: they cannot be spread over partitions.
_TOGETHER = {"join", "requests", "responses"}


@dataclass(frozen=True)
class Settings:
    """What to read, and how; it is sent to the workers."""

    paths: tuple[str, ...]
    records: Kind
    columns: str | None
    is_partial: bool
    options: dict[str, Any]  # of the command, named as parameters of apnsift.read
    jobs: int  # one by default, as a task has one core
    partition_bytes: int
    max_files: int  # of one batch of a stream
    settle_seconds: float

    @property
    def is_together(self) -> bool:
        return any(self.options.get(name) for name in _TOGETHER)

    @staticmethod
    def parsed(options: Mapping[str, str]) -> Settings:
        given = {key.lower(): value for key, value in options.items()}
        mode = given.get("mode", "failfast").lower()
        if mode not in ("failfast", "partial"):
            raise UsageError([f"mode: expected failfast or partial, found {mode!r}"], 64)
        return Settings(
            tuple(json.loads(given["paths"])) if "paths" in given else (given["path"],) if "path" in given else (),
            cast("Kind", given.get("records", "feedback")),
            given.get("columns"),
            mode == "partial",
            {key.replace("-", "_"): _value(value) for key, value in given.items() if key not in _OWN},
            *(_number(given, name) for name in _NUMBERS),
        )


def _number(options: Mapping[str, str], name: str) -> Any:
    kind, value = type(_NUMBERS[name]), -1.0
    with contextlib.suppress(ValueError):
        value = kind(options.get(name, _NUMBERS[name]))
    if value < (1 if kind is int else 0):
        raise UsageError([f"{name}: expected a positive number, found {options[name]!r}"], 64)
    return value


def _value(text: str) -> Any:
    """true and false are those of a flag, and a JSON array is a list."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("["):
        with contextlib.suppress(ValueError):
            return [str(one) for one in json.loads(text)]
    return text
