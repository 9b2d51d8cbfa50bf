"""The options of a data source, read once on the driver."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from apnsift._errors import UsageError

if TYPE_CHECKING:
    from apnsift._reading import Kind

_PARTITION_BYTES = 128 << 20
_MAX_FILES = 1000  # of one batch of a stream
_SETTLE_SECONDS = 10.0
_OWN = {"path", "paths", "records", "columns", "mode", "jobs", "partitionbytes", "maxfilespertrigger", "settleseconds"}
# Several inputs that are read as one: they cannot be spread over partitions.
_TOGETHER = {"join", "requests", "responses"}


@dataclass(frozen=True)
class Settings:
    """What to read, and how; it is sent to the workers."""

    paths: tuple[str, ...]
    records: Kind = "feedback"
    columns: str | None = None
    jobs: int = 1  # a task has one core
    is_partial: bool = False
    partition_bytes: int = _PARTITION_BYTES
    max_files: int = _MAX_FILES
    settle_seconds: float = _SETTLE_SECONDS
    # Options of the command, named as parameters of apnsift.read.
    options: dict[str, Any] = field(default_factory=dict)

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
            paths=_paths(given),
            records=cast("Kind", given.get("records", "feedback")),
            columns=given.get("columns"),
            jobs=_number(given, "jobs", 1, int),
            is_partial=mode == "partial",
            partition_bytes=_number(given, "partitionbytes", _PARTITION_BYTES, int),
            max_files=_number(given, "maxfilespertrigger", _MAX_FILES, int),
            settle_seconds=_number(given, "settleseconds", _SETTLE_SECONDS, float),
            options={key.replace("-", "_"): _value(value) for key, value in given.items() if key not in _OWN},
        )


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    if "paths" in options:  # Spark's form of several paths
        return tuple(json.loads(options["paths"]))
    return (options["path"],) if "path" in options else ()


def _number(options: Mapping[str, str], name: str, default: Any, kind: type) -> Any:
    try:
        value = kind(options.get(name, default))
    except ValueError:
        value = -1
    if value < (1 if kind is int else 0):
        raise UsageError([f"{name}: expected a positive number, found {options[name]!r}"], 64)
    return value


def _value(text: str) -> Any:
    """true and false are those of a flag, and a JSON array is a list."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("["):
        try:
            return [str(one) for one in json.loads(text)]
        except ValueError:
            return text
    return text
