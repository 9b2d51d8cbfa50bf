"""The version of the package: that of the command, from its source, or in an sdist from the metadata there."""

import re
from pathlib import Path

_HERE = Path(__file__).parent
_SOURCES = [
    (_HERE.parent / "Sources/Command/CommandOptions/Program.swift", r'static let version = "([^"]+)"'),
    (_HERE / "PKG-INFO", r"(?m)^Version: (.+)$"),
]


def _version() -> str:
    for path, pattern in _SOURCES:
        found = re.search(pattern, path.read_text(encoding="utf-8")) if path.exists() else None
        if found:
            return found.group(1)
    raise RuntimeError(f"expected a version in one of {', '.join(str(path) for path, _ in _SOURCES)}, found none")


__version__ = _version()
