"""Which files a job reads, and how they are grouped."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from apnsift._arguments import inputs
from apnsift._errors import UsageError

Position = tuple[int, str]  # of a file in a stream: its modification time, then its path


class File(NamedTuple):
    """A file as it was when the driver listed it; in order, files are as a stream reads them."""

    modified: int  # nanoseconds since 1970
    path: str
    size: int  # bytes

    @property
    def position(self) -> Position:
        return self.modified, self.path

    def is_unchanged(self) -> bool:
        return _file(self.path) == self


def local(path: str) -> str:
    """The absolute path of a path or a `file:` URI."""
    scheme, colon, rest = path.partition(":")
    if colon and scheme == "file":
        path = "/" + rest.lstrip("/")
    elif "://" in path:
        raise UsageError([f"{path}: expected a path of a file system that driver and workers share, found a URI"], 64)
    return os.path.abspath(path)


def listed(paths: Iterable[str]) -> Iterator[File]:
    """The files at the paths, directories walked, patterns matched, sorted in each.

    As the command does, a walk does not follow links to directories, and takes regular files only. A path without a file is
    listed as if it had one: reading it gives the command's own error.
    """
    for path in inputs(map(local, paths)):
        members = list(_members(path)) if os.path.isdir(path) else []
        yield from members or [_file(path) or File(0, path, 0)]


def _members(directory: str) -> Iterator[File]:
    for name in sorted(os.listdir(directory), key=os.fsencode):
        path = os.path.join(directory, name)
        if os.path.isdir(path):
            if not os.path.islink(path):
                yield from _members(path)
        elif file := _file(path):
            yield file


def _file(path: str) -> File | None:
    """A regular file, or None: it may be gone by now."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return File(status.st_mtime_ns, path, status.st_size) if stat.S_ISREG(status.st_mode) else None


def grouped(files: Iterable[File], limit: int) -> Iterator[list[File]]:
    """Groups of files, in order, each of at most `limit` bytes, or of one file."""
    group: list[File] = []
    size = 0
    for file in files:
        if group and size + file.size > limit:
            yield group
            group, size = [], 0
        group.append(file)
        size += file.size
    if group:
        yield group
