"""A plugin of pytest: the fixture `apnsift_server` starts mock servers (`apnsift-lab serve`) for programs under test.

It is no module of the package, so that test runs without the fixture do not load Arrow.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Union

import pytest

Input = Union[str, "os.PathLike[str]"]


class Server:
    """A mock server that runs until its test ends."""

    def __init__(self, directory: pathlib.Path, inputs: Sequence[Input], tls: bool, pushes: bool, given: dict[str, Any]) -> None:
        from apnsift._arguments import options
        from apnsift._command import Run

        #: The certificate to trust; None without TLS.
        self.certificate = directory / "certificate.pem" if tls else None
        self._received = directory / "received.ndjson" if pushes else None
        own = {"port": 0, "tls": tls, "write_certificate": self.certificate, "pushes": pushes, "received": self._received}
        words = ["serve", *options({**own, **given})]
        self._run = Run(words, [os.fspath(name) for name in inputs], has_input=False, program=_lab(), most_messages=sys.maxsize)
        line = self._run.output.readline().decode()
        if not line:
            self._run.finish()
        host, port = line.rstrip("\n").rsplit(":", 1)
        #: Host and port to connect to.
        self.address = host.strip("[]"), int(port)

    @property
    def received(self) -> list[dict[str, Any]]:
        """The requests for which clients have an answer, as `--received` has them (docs/serve.md#pushes); only of pushes."""
        if self._received is None:
            raise AttributeError("only a server of pushes records what it received: give pushes=True")
        text = self._received.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n")[:-1]]  # the rest of a line may follow

    @property
    def messages(self) -> list[str]:
        """What the server printed to this moment: a line when a client has left, with what it got."""
        return list(self._run.messages)

    def close(self) -> None:
        """Ends the server."""
        self._run.close()


def _lab() -> str:
    """The command apnsift-lab: of the environment variable APNSIFT_LAB, else on PATH."""
    found = shutil.which(os.environ.get("APNSIFT_LAB", "apnsift-lab"))
    if found is None:
        from apnsift import CommandNotFound

        raise CommandNotFound(["no command apnsift-lab on PATH; install a release that has it, or set APNSIFT_LAB to its path"])
    return found


@pytest.fixture
def apnsift_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """A function that starts a server of the inputs: ``apnsift_server("feedback.bin", tls=True, chunk_size=7)``.

    pushes: answer pushes over HTTP/2 by the outcomes in the inputs. Other parameters are options of `apnsift-lab serve`, with
    underscores. The servers end with the test.
    """
    servers: list[Server] = []

    def start(*inputs: Input, tls: bool = False, pushes: bool = False, **options: Any) -> Server:
        servers.append(Server(tmp_path_factory.mktemp("apnsift-server"), inputs, tls, pushes, options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
