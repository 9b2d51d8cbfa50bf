"""The command: where it is, and one run of it."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Sequence
from importlib import metadata
from typing import IO, Any

from apnsift._errors import CommandNotFound, Error, PartialWarning, failure, summary

_BUFFER = 1 << 20  # bytes
_LISTED = 1 << 16  # bytes of names; more go to the command as a list: a system limits the arguments of a program
_INTERVAL = 200  # milliseconds after which a read that waits looks for signals


def command() -> str:
    """The path of the command: of the environment variable APNSIFT, else of the wheel, else on PATH.

    >>> import apnsift
    >>> apnsift.command()  # doctest: +SKIP
    '/home/me/.venv/bin/apnsift'
    """
    if named := os.environ.get("APNSIFT"):
        if not _is_program(named):
            raise CommandNotFound([f"{named}: not a program; the environment variable APNSIFT names it"])
        return named
    if found := _of_wheel() or shutil.which("apnsift"):
        return found
    advice = "install a wheel that has it, or set APNSIFT to its path"
    raise CommandNotFound([f"no command apnsift in the package or on PATH; {advice}"])


def _of_wheel() -> str | None:
    """The program in the installed distribution, wherever pip put it."""
    try:
        files = metadata.files("apnsift") or []
    except metadata.PackageNotFoundError:
        return None
    # In a repaired wheel, the script `apnsift` starts a program of that name in another directory.
    paths = sorted(files, key=lambda file: file.parent.name != "apnsift.scripts")
    found = (str(file.locate()) for file in paths if file.name == "apnsift")
    return next((os.path.normpath(path) for path in found if _is_program(path)), None)


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def version() -> str:
    """The version of the command.

    >>> import apnsift
    >>> apnsift.version().split(".")[0]
    '1'
    """
    return printed(["--version"]).decode().split("\n", 1)[0]


def printed(arguments: Sequence[str]) -> bytes:
    """What the command prints; an exception if it fails."""
    with Run(arguments) as run:
        return run.finish()


@functools.lru_cache(maxsize=None)
def repeatable(command: str) -> frozenset[str]:
    """The options of `export` that can be given several times, as the command itself describes them."""
    options = json.loads(printed(["export", "--experimental-dump-help"]))["command"]["arguments"]
    return frozenset(name["name"] for option in options if option["isRepeating"] for name in option.get("names", ()))


class Run(contextlib.AbstractContextManager["Run"]):
    """A process of the command. It ends at the latest when nothing refers to the run any more."""

    def __init__(
        self, arguments: Sequence[str], inputs: Sequence[str] = (), *, has_input: bool = True, program: str | None = None,
        most_messages: int = 1000,
    ) -> None:  # fmt: skip
        """inputs: paths, and - for standard input, which is empty unless `has_input`. Of more messages, the number is kept."""
        program = program or command()
        with contextlib.ExitStack() as stack:
            names, descriptors = (["--", *inputs] if inputs else []), []
            if sum(map(len, inputs)) > _LISTED:
                listed = stack.enter_context(tempfile.TemporaryFile())
                listed.write(b"\0".join([*map(os.fsencode, inputs), b""]))
                listed.seek(0)
                names, descriptors = [f"--files-from=/dev/fd/{listed.fileno()}"], [listed.fileno()]
            try:
                self._process = subprocess.Popen(
                    [program, *arguments, *names], stdin=None if has_input and "-" in inputs else subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, pass_fds=descriptors,
                )  # fmt: skip
            except OSError as error:
                raise Error([f"{program}: cannot be started: {error.strerror}"]) from error
        assert isinstance(self._process.stdout, io.FileIO) and isinstance(self._process.stderr, io.FileIO)
        self.output = io.BufferedReader(_Output(self._process.stdout), _BUFFER)
        self.messages: list[str] = []
        # A full pipe of messages would stop the process.
        collected = (io.BufferedReader(self._process.stderr), self.messages, most_messages)
        self._collector = threading.Thread(target=_collect, args=collected, daemon=True, name="apnsift messages")
        self._collector.start()
        self._end = weakref.finalize(self, _end, self._process, self.output, self._collector)

    def finish(self, *, partial: bool = False) -> bytes:
        """The rest of the output, after the end of the process; or the exception of its exit status, a warning if `partial`."""
        rest = self.output.read()
        status = self._process.wait()
        self._end()
        if status == -signal.SIGINT:  # Ctrl-C is for the command, too, and this may be a thread that does not see it
            raise KeyboardInterrupt
        if partial and status == 2:
            warnings.warn(summary(self.messages), PartialWarning, stacklevel=3)
        elif status:
            raise failure(self.messages, status)
        return rest

    def close(self) -> None:
        """Ends the process if it still runs."""
        self._end()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Output(io.RawIOBase):
    """What a process writes. Signals end a read that waits, also those that come while the caller is not in Python."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        while not self._poll.poll(_INTERVAL):
            pass
        return self._file.readinto(buffer)

    def close(self) -> None:
        super().close()
        self._file.close()


def _collect(stream: IO[bytes], messages: list[str], most: int) -> None:
    prefix, left_out = "apnsift: ", 0
    with stream:
        for line in stream:
            text = line.decode("utf-8", "backslashreplace").rstrip("\n")
            if len(messages) < most:
                messages.append(text[len(prefix) :] if text.startswith(prefix) else text)
            else:
                left_out += 1
    if left_out:
        messages.append(f"{left_out} more messages left out")


def _end(process: subprocess.Popen[bytes], output: io.IOBase, collector: threading.Thread) -> None:
    """Ends the process, and with it a read of another thread; only then can the output be closed."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    output.close()
    # The garbage collector may run this in any thread.
    if collector is not threading.current_thread() and not sys.is_finalizing():
        collector.join()
